package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tiersim/sim/fault"
)

// An override is a value for a path, in place of what stands there.
type override struct {
	path  string
	at    place  // of the path
	field string // where it is written, for faults
	value *node
}

func (o *override) fault(format string, a ...any) fault.Fault {
	return o.at.fault(o.field, fmt.Sprintf(format, a...))
}

// ofTopology returns the part of the path within the topology, where it is one.
func (o *override) ofTopology() (string, bool) {
	return strings.CutPrefix(o.path, "topology.")
}

// apply returns the tree with the override in place.
func (o *override) apply(root *node, s *shape, path string) (*node, error) {
	root = splitDirection(root, path)
	t, err := target{shape: s, node: root}.walk(path)
	if err == nil && t.shape.kind == objectShape && t.shape.keeps && o.value.kind == scalar {
		t, err = t.walk(t.shape.short)
	}
	if err != nil {
		return nil, o.fault("%s", err)
	}
	v := o.value
	if factor, ok := factorOf(v); ok && t.shape.scalable() {
		if v, err = t.scale(root, v, factor); err != nil {
			return nil, o.fault("%s", err)
		}
	}
	return put(root, t.steps, v), nil
}

// put returns n with v at the end of the steps.
func put(n *node, steps []step, v *node) *node {
	if len(steps) == 0 {
		return v
	}
	s := steps[0]
	if n == nil {
		n = &node{kind: mapping, at: v.at, path: v.path}
	}
	if s.short != "" && n.kind == scalar {
		n = lengthen(n, s.short)
	}
	if s.item {
		return n.withItem(s.index, put(n.items[s.index], steps[1:], v))
	}
	return n.with(s.key, put(n.get(s.key), steps[1:], v))
}

// scalable reports whether a factor may stand in place of a value.
func (s *shape) scalable() bool {
	return s.scales || slices.ContainsFunc(s.any, (*shape).scalable)
}

var (
	factorText   = regexp.MustCompile(`^x((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)$`)
	quantityText = regexp.MustCompile(`^(arrivals\+)?((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(.*)$`)
)

// factorOf returns the factor that a value such as x0.5 is.
func factorOf(n *node) (float64, bool) {
	if n.kind != scalar {
		return 0, false
	}
	m := factorText.FindStringSubmatch(n.text)
	if m == nil {
		return 0, false
	}
	f, err := strconv.ParseFloat(m[1], 64)
	return f, err == nil
}

// scale returns what stands at the target times a factor, in its unit.
func (t *target) scale(root, v *node, factor float64) (*node, error) {
	text, ok := t.def, t.def != ""
	if t.node != nil && t.node.kind == scalar {
		text, ok = t.node.text, true
	} else if t.node == nil && len(t.inherits) > 0 {
		n := root
		for _, key := range t.inherits {
			n = n.get(key)
		}
		if n != nil && n.kind == scalar {
			text, ok = n.text, true
		}
	}
	m := quantityText.FindStringSubmatch(strings.TrimSpace(text))
	if !ok || m == nil {
		return nil, fmt.Errorf("got %q, a factor, and there is no number to scale; write a value", v.text)
	}
	number, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return nil, fmt.Errorf("got %q, a factor, and %q cannot be scaled; write a value", v.text, text)
	}
	c := *v
	c.text = m[1] + strconv.FormatFloat(number*factor, 'g', -1, 64) + m[3]
	if product := number * factor; product >= 1e15 && product < 1e300 && product == float64(int64(product)) {
		c.text = m[1] + strconv.FormatFloat(product, 'f', 0, 64) + m[3]
	}
	return &c, nil
}
