package replay_test

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// resetPeak makes the system count the process's peak memory from now on; false
// where it cannot.
func resetPeak() bool {
	debug.FreeOSMemory()
	// 5 resets VmHWM, the peak of the resident set (proc(5)).
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}

// peakMB is the peak of the resident set, code included.
func peakMB(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	number, _, ok := strings.Cut(strings.TrimSpace(rest), " kB")
	kib, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		b.Fatalf("VmHWM in /proc/self/status: %q", number)
	}
	return kib * 1024 / 1e6
}
