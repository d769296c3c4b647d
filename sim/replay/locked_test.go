package replay_test

import "testing"

// REQUIREMENTS 66, 67: where interruptions elsewhere would cost more than could be gained,
// the quota is locked: the fall of the record at 100 s meets nobody. The same task that
// stays for another reason is met, and begins again when the slots are back at 200 s.
func TestLockedQuota(t *testing.T) {
	topology := `
name: t
currency: CNY
hubs:
  - name: east
    cities:
      - name: ec
        rooms:
          - name: e
            pools: [{name: gpu, kind: gpu, slots: 2, price: 10 CNY/h, interruptions: {kind: recorded, unit: slots, points: [[0s, 2], [100s, 0], [200s, 2]]}}]
  - name: west
    cities:
      - name: wc
        rooms: [{name: w, pools: [{name: gpu, kind: gpu, slots: 2, price: 1 CNY/h, interruptions: {kind: on-demand, node_mtbf: 10s}}]}]
links: [{between: [east, west], capacity: 1GB/s}]
`
	for _, c := range []struct {
		name, portable, reason string
		finish                 float64
	}{{"locked", "true", "interruption", 1000}, {"not locked", "false", "portable", 1200}} {
		t.Run(c.name, func(t *testing.T) {
			trace := "task,submit_s,class,home,kind,slots,work_s,portable\nx,0,batch,e,gpu,2,1000," + c.portable + "\n"
			for _, policy := range []string{"three-way", "first-free", "at-data"} {
				x := play(t, policy, map[string]string{"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": trace})["x"]
				if x.Reason != c.reason || x.Finish != c.finish {
					t.Errorf("%s: x ends at %v for %q, want %v for %q", policy, x.Finish, x.Reason, c.finish, c.reason)
				}
			}
		})
	}
}
