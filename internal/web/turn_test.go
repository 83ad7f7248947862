package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// sizes reads zeros without an end, and notes how many it was asked for.
type sizes struct{ asked []int }

func (s *sizes) Read(b []byte) (int, error) {
	s.asked = append(s.asked, len(b))
	return len(b), nil
}

func (s *sizes) Close() error { return nil }

// No read of a body is larger than a turn, however large the buffer is, and turns end where
// they should.
func TestBodiesAreReadInTurns(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	from := &sizes{}
	c := &Call{R: &http.Request{Body: from}, W: &Recorder{ResponseWriter: httptest.NewRecorder()}, server: s}
	r := newPacedReader(c, http.NewResponseController(c.W))
	for _, n := range []int{10, 4 * aTurn} {
		if _, err := io.ReadFull(r, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	sum := 0
	for i, n := range from.asked {
		if sum += n; sum > aTurn {
			t.Fatalf("read %d is of %d bytes, and the turn has %d", i, n, sum)
		}
		sum %= aTurn
	}
	if len(from.asked) != 6 {
		t.Errorf("%d reads, want 6", len(from.asked))
	}
}
