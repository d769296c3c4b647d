//go:build race

package replay_test

import "testing"

// skipStochastic leaves out what takes millions of draws: it has one goroutine,
// and would take minutes under the race detector.
func skipStochastic(t *testing.T) {
	t.Helper()
	t.Skip("millions of draws: not under the race detector")
}
