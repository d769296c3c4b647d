package profile

import (
	"fmt"
	"math"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A State is a value that a Markov process keeps for a while.
type State struct {
	Value float64
	Dwell unit.Seconds // mean of the exponential time it stays; +Inf: for good
	To    []float64    // shares of the next states, itself 0; nil: evenly the others
}

// NewMarkov returns the process that begins in a state, stays in each for an
// exponential time and goes on to another by its shares. A move between states of
// one value is no change.
func NewMarkov(states []State, start int) (Law, error) {
	m, err := newMarkov(states)
	if err != nil {
		return nil, err
	}
	if start < 0 || start >= len(states) {
		return nil, fmt.Errorf("got state %d of %d as the first", start+1, len(states))
	}
	m.start = make([]float64, len(states))
	m.start[start] = math.Inf(1)
	return m, nil
}

// NewMarkovStationary returns the process that begins as if it had gone on
// forever: in each state with the share of time that it spends there.
func NewMarkovStationary(states []State) (Law, error) {
	m, err := newMarkov(states)
	if err != nil {
		return nil, err
	}
	share, err := m.stationary()
	if err != nil {
		return nil, err
	}
	m.start = cumulative(share)
	return m, nil
}

// markov is the process with all shares summed up: the next state is the first
// whose sum is above a uniform number.
type markov struct {
	states []State
	share  [][]float64 // of each next state; all 0 where there is none
	next   [][]float64 // their sums
	start  []float64   // sums of the shares of the first state
	stuck  []bool      // no state of another value can be reached from there
}

func newMarkov(states []State) (*markov, error) {
	if len(states) == 0 {
		return nil, fmt.Errorf("no states, want at least one")
	}
	m := &markov{states: states}
	for i, s := range states {
		if err := (Value{Number: s.Value}).check(); err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
		if !(s.Dwell > 0) {
			return nil, fmt.Errorf("state %d: got a dwell of %v s, want one above 0", i+1, float64(s.Dwell))
		}
		share, err := s.shares(i, len(states))
		if err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
		m.share = append(m.share, share)
		m.next = append(m.next, cumulative(share))
	}
	m.findStuck()
	return m, nil
}

// shares returns the shares of the states that come after state i of n.
func (s State) shares(i, n int) ([]float64, error) {
	share := make([]float64, n)
	if math.IsInf(float64(s.Dwell), 1) {
		return share, nil
	}
	if s.To == nil {
		for j := range share {
			if j != i {
				share[j] = 1 / float64(n-1)
			}
		}
		return share, nil
	}
	if len(s.To) != n {
		return nil, fmt.Errorf("got %d shares, want one for each of %d states", len(s.To), n)
	}
	sum := 0.0
	for j, x := range s.To {
		if !(x >= 0) {
			return nil, fmt.Errorf("got a share of %v for state %d, want one from 0 on", x, j+1)
		}
		sum += x
	}
	if s.To[i] != 0 {
		return nil, fmt.Errorf("got a share of %v for itself, want 0; a longer dwell says the same", s.To[i])
	}
	if math.Abs(sum-1) > 1e-9 { // what rounding leaves of written shares
		return nil, fmt.Errorf("got shares that add up to %v, want 1", sum)
	}
	copy(share, s.To)
	return share, nil
}

// cumulative returns the sums of shares; the last that is not 0 takes all that
// rounding left over.
func cumulative(share []float64) []float64 {
	sums := make([]float64, len(share))
	sum, last := 0.0, -1
	for i, x := range share {
		sum += x
		sums[i] = sum
		if x > 0 {
			last = i
		}
	}
	if last >= 0 {
		for i := last; i < len(sums); i++ {
			sums[i] = math.Inf(1)
		}
	}
	return sums
}

// pick returns the first whose sum is above u.
func pick(sums []float64, u float64) int {
	for i, s := range sums {
		if u < s {
			return i
		}
	}
	panic(fmt.Sprintf("profile: no state for %v in %v", u, sums))
}

// reach returns whether state j can follow state i, sooner or later; a state
// reaches itself.
func (m *markov) reach() [][]bool {
	n := len(m.states)
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		for j := range reach[i] {
			reach[i][j] = i == j || m.share[i][j] > 0
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

func (m *markov) findStuck() {
	m.stuck = make([]bool, len(m.states))
	for i, to := range m.reach() {
		m.stuck[i] = true
		for j, can := range to {
			if can && m.states[j].Value != m.states[i].Value {
				m.stuck[i] = false
			}
		}
	}
}

// stationary returns the share of time in each state: the solution of πQ = 0, by
// the elimination of Grassmann, Taksar and Heyman, which subtracts nothing
// (Operations Research 33(5), 1985).
func (m *markov) stationary() ([]float64, error) {
	members, err := m.closed()
	if err != nil {
		return nil, err
	}
	n := len(members)
	q := make([][]float64, n) // rates between the members
	for a, i := range members {
		q[a] = make([]float64, n)
		for b, j := range members {
			q[a][b] = m.share[i][j] / float64(m.states[i].Dwell)
		}
	}
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for j := range k {
			out += q[k][j]
		}
		for i := range k {
			q[i][k] /= out
			for j := range k {
				if j != i {
					q[i][j] += float64(q[i][k] * q[k][j])
				}
			}
		}
	}
	share := make([]float64, len(m.states))
	weight := make([]float64, n)
	weight[0] = 1
	total := 1.0
	for k := 1; k < n; k++ {
		for i := range k {
			weight[k] += float64(weight[i] * q[i][k])
		}
		total += weight[k]
	}
	for a, i := range members {
		share[i] = weight[a] / total
	}
	return share, nil
}

// closed returns the states that the process never leaves once it is there, all
// of which it visits again and again.
func (m *markov) closed() (members []int, err error) {
	reach := m.reach()
	for i := range m.states {
		back := true
		for j := range m.states {
			back = back && (!reach[i][j] || reach[j][i])
		}
		switch {
		case !back:
		case len(members) > 0 && !reach[members[0]][i]:
			return nil, fmt.Errorf("states %d and %d never lead to each other; give the state to start from", members[0]+1, i+1)
		default:
			members = append(members, i)
		}
	}
	return members, nil
}

// Begin begins in the first state.
func (m *markov) Begin(s rng.Streams, name string) Course {
	name += "/markov"
	return &markovCourse{markov: m, stream: s.Stream(name), state: pick(m.start, s.U01(name+"/start"))}
}

// Random is true.
func (m *markov) Random() bool { return true }

func (m *markov) streams() []string { return []string{"/markov"} }

func (m *markov) levels() (low, high float64) {
	low, high = m.states[0].Value, m.states[0].Value
	for _, s := range m.states {
		low, high = min(low, s.Value), max(high, s.Value)
	}
	return low, high
}

type markovCourse struct {
	*markov
	stream rng.Stream
	state  int
	now    unit.Time
}

// Value returns the value since the latest change.
func (c *markovCourse) Value() float64 { return c.states[c.state].Value }

// Next goes on to a state of another value.
func (c *markovCourse) Next() (unit.Time, float64, bool) {
	was := c.Value()
	for !c.stuck[c.state] {
		c.now = after(c.now, unit.Seconds(c.stream.Exp()*float64(c.states[c.state].Dwell)))
		if c.now == unit.Forever() {
			break
		}
		c.state = pick(c.next[c.state], c.stream.Float64())
		if v := c.Value(); v != was {
			return c.now, v, true
		}
	}
	return 0, 0, false
}

// Clone returns an independent copy.
func (c *markovCourse) Clone() Course { x := *c; return &x }

// after returns the instant d after t. Where the clock cannot tell the two apart
// it is the next one that there is.
func after(t unit.Time, d unit.Seconds) unit.Time {
	if u := t.Add(d); u > t {
		return u
	}
	return unit.Time(math.Nextafter(float64(t), math.Inf(1)))
}
