//go:build !race

package replay_test

import "testing"

// skipStochastic leaves out what takes millions of draws, where it would take
// minutes: under the race detector, and in short tests.
func skipStochastic(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("millions of draws: not in short tests")
	}
}
