package scenario

import "testing"

func BenchmarkLoad(b *testing.B) {
	dir := write(b, nil)
	for b.Loop() {
		if _, err := Load("s.yaml", Options{Dir: dir}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWorld(b *testing.B) {
	s := mustLoad(b, nil)
	for b.Loop() {
		if _, err := s.World(0); err != nil {
			b.Fatal(err)
		}
	}
}
