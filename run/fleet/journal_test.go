package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
)

// turn is turn k of an episode of ours.
func turn(k int) quintain.Turn {
	return quintain.Turn{
		Observed: []quintain.Message{{Role: quintain.RoleUser, Content: fmt.Sprint("q", k)}}, Reply: fmt.Sprint("r", k), Read: []quintain.Token{1, quintain.Token(k)},
		Wrote: []quintain.Token{5, 6}, LogProbs: []float32{-0.5, -0.25}, Versions: []int32{2, 3}, Finish: quintain.Stop, Reward: 0.5,
	}
}

// part is a part of an episode: the turns from one to before another.
func part(number, from, to int) rollout.Begun {
	b := rollout.Begun{Number: number, From: from, Replies: time.Duration(to) * time.Second, Episode: quintain.Trajectory{Vocabulary: "v", Took: time.Minute}}
	for k := from; k < to; k++ {
		b.Episode.Turns = append(b.Episode.Turns, turn(k))
	}
	return b
}

// tell tells the coordinator of turns.
func (s *site) tell(i int, l Lease, news ...rollout.Begun) (map[int]rollout.Mark, int) {
	s.t.Helper()
	frame, err := AppendTurns(nil, &Turns{Instance: name(i), Episodes: news})
	if err != nil {
		s.t.Fatal(err)
	}
	var kept Kept
	return kept.Episodes, s.sendAs(Frame, fmt.Sprintf("/leases/%d/turns", l.Number), frame, &kept)
}

// sendAs sends a body of a kind, and reads JSON.
func (s *site) sendAs(kind, path string, body []byte, got any) int {
	s.t.Helper()
	r, err := http.Post(s.url+path, kind, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode == http.StatusOK {
		err = strictjson.Unmarshal(text, got)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode
}

// turns asks for those of a lease.
func (s *site) turns(i int, l Lease) ([]rollout.Begun, int) {
	s.t.Helper()
	r, err := http.Get(fmt.Sprintf("%s/leases/%d/turns?instance=%s", s.url, l.Number, name(i)))
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return nil, r.StatusCode
	}
	all, err := ReadTurns(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return all.Episodes, r.StatusCode
}

// What a lost worker told of a lease goes to the next one, and what it tells later nowhere.
func TestTurnsGoToTheNextWorker(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.join(1)
	s.join(2)
	old := s.take(1, 1)[0]
	if old.Begun {
		t.Error("a new lease is said to be begun")
	}
	for _, test := range []struct {
		news []rollout.Begun
		want map[int]rollout.Mark
	}{
		{[]rollout.Begun{part(0, 0, 2)}, map[int]rollout.Mark{0: {Turns: 2}}},
		{[]rollout.Begun{part(0, 2, 3), part(1, 0, 1)}, map[int]rollout.Mark{0: {Turns: 3}, 1: {Turns: 1}}},
		{[]rollout.Begun{part(0, 2, 3)}, map[int]rollout.Mark{0: {Turns: 3}, 1: {Turns: 1}}}, // again
		{[]rollout.Begun{part(1, 2, 4)}, map[int]rollout.Mark{0: {Turns: 3}, 1: {Turns: 1}}}, // the second turn is missing
	} {
		if got, status := s.tell(1, old, test.news...); status != http.StatusOK || !reflect.DeepEqual(got, test.want) {
			t.Errorf("status %d, %v, want %v", status, got, test.want)
		}
	}
	if status := s.ask("GET", fmt.Sprintf("/leases/%d/turns?instance=%s", old.Number, name(2)), nil, nil); status != http.StatusGone {
		t.Errorf("another's turns: status %d", status)
	}
	s.pass(2)
	now := s.take(2, 1)[0]
	if !now.Begun || now.Problem.ID() != old.Problem.ID() {
		t.Fatalf("the lease is %+v", now)
	}
	s.join(1)
	if _, status := s.tell(1, old, part(0, 3, 4)); status != http.StatusGone {
		t.Errorf("turns of a lost lease: status %d", status)
	}
	got, status := s.turns(2, now)
	text, err := json.Marshal(got)
	want, err2 := json.Marshal([]rollout.Begun{part(0, 0, 3), part(1, 0, 1)})
	if status != http.StatusOK || err != nil || err2 != nil || string(text) != string(want) {
		t.Errorf("status %d, turns %s, want %s", status, text, want)
	}
	if got, status := s.tell(2, now, part(0, 0, 1)); status != http.StatusOK || got[0].Turns != 1 { // it plays the episode anew
		t.Errorf("status %d, %v", status, got)
	}
	if status := s.finish(now, played(2)); status != http.StatusOK || s.journals.bytes != 0 || len(s.journals.of) != 0 {
		t.Errorf("status %d; %d bytes of %d journals are left", status, s.journals.bytes, len(s.journals.of))
	}
	if _, status := s.tell(2, now, part(0, 1, 2)); status != http.StatusGone {
		t.Errorf("turns of a finished lease: status %d", status)
	}
}

// A worker that lies about turns is one that lies, and its turns go with it.
func TestALiarAboutTurnsGetsNothingMore(t *testing.T) {
	for why, lie := range map[string]func(*rollout.Begun){
		"another episode":        func(b *rollout.Begun) { b.Number = size },
		"a negative one":         func(b *rollout.Begun) { b.Number = -1 },
		"from before":            func(b *rollout.Begun) { b.From = -1 },
		"negative time":          func(b *rollout.Begun) { b.Episode.Took = -1 },
		"a problem":              func(b *rollout.Begun) { b.Episode.Problem.Task = "sum" },
		"an outcome":             func(b *rollout.Begun) { b.Episode.Outcome = quintain.Scored },
		"a call of an agent":     func(b *rollout.Begun) { b.Episode.Turns[0].Call = &quintain.Call{Parent: -1} },
		"no log-probability":     func(b *rollout.Begun) { b.Episode.Turns[0].LogProbs = []float32{-1} },
		"a read token below 0":   func(b *rollout.Begun) { b.Episode.Turns[0].Read = []quintain.Token{1, -1} },
		"a positive one":         func(b *rollout.Begun) { b.Episode.Turns[0].LogProbs[0] = 1 },
		"a NaN":                  func(b *rollout.Begun) { b.Episode.Turns[0].LogProbs[0] = float32(math.NaN()) },
		"no version":             func(b *rollout.Begun) { b.Episode.Turns[0].Versions = nil },
		"versions that fall":     func(b *rollout.Begun) { b.Episode.Turns[0].Versions = []int32{3, 2} },
		"a token below 0":        func(b *rollout.Begun) { b.Episode.Turns[0].Wrote[1] = -5 },
		"a reply that was ended": func(b *rollout.Begun) { b.Episode.Turns[0].Finish = quintain.Aborted },
	} {
		s := newSite(t, newDesk(t, 2), nil)
		s.join(1)
		s.join(2)
		all := s.take(1, 2)
		if _, status := s.tell(1, all[1], part(0, 0, 2)); status != http.StatusOK {
			t.Errorf("turns: status %d", status)
		}
		b := part(1, 0, 1)
		lie(&b)
		if _, status := s.tell(1, all[0], b); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d", why, status)
		}
		if _, status := s.tell(1, all[1], part(0, 2, 3)); status != http.StatusForbidden {
			t.Errorf("%s: after the lie: status %d", why, status)
		}
		for _, l := range s.take(2, 2) {
			if l.Begun {
				t.Errorf("%s: the turns of a liar go to others", why)
			}
		}
	}
}

// Turns have so much room, and what is kept stays when there is no more.
func TestTurnsHaveSoMuchRoom(t *testing.T) {
	s := newSite(t, newDesk(t, 2), nil)
	s.journals.most = 3 * weight(part(0, 0, 1).Episode.Turns)
	s.join(1)
	all := s.take(1, 2)
	if _, status := s.tell(1, all[0], part(0, 0, 2)); status != http.StatusOK {
		t.Errorf("two turns: status %d", status)
	}
	if _, status := s.tell(1, all[1], part(0, 0, 2)); status != http.StatusInsufficientStorage {
		t.Errorf("two turns more: status %d", status)
	}
	if got := s.journals.size(); got != float64(2*weight(part(0, 0, 1).Episode.Turns)) {
		t.Errorf("two turns take %v bytes", got)
	}
	if got, _ := s.turns(1, all[0]); len(got) != 1 || len(got[0].Episode.Turns) != 2 {
		t.Errorf("the turns are %+v", got)
	}
	if status := s.finish(all[0], played(1)); status != http.StatusOK {
		t.Errorf("finish: status %d", status)
	}
	if _, status := s.tell(1, all[1], part(0, 0, 2)); status != http.StatusOK {
		t.Errorf("two turns, with room: status %d", status)
	}
}

func TestDamagedTurnsAreRefused(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.join(1)
	l := s.take(1, 1)[0]
	frame, err := AppendTurns(nil, &Turns{Instance: name(1), Episodes: []rollout.Begun{part(0, 0, 2)}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range frame {
		if _, err := ReadTurns(frame[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are taken for turns", n, len(frame))
		}
	}
	path := fmt.Sprintf("/leases/%d/turns", l.Number)
	if status := s.sendAs(Frame, path, frame[:len(frame)-1], nil); status != http.StatusBadRequest {
		t.Errorf("a frame that is cut off: status %d", status)
	}
	if status := s.sendAs(Frame, "/leases/one/turns", frame, nil); status != http.StatusNotFound {
		t.Errorf("no number: status %d", status)
	}
}

func FuzzTurns(f *testing.F) {
	whole, err := AppendTurns(nil, &Turns{Instance: name(1), Episodes: []rollout.Begun{part(0, 0, 2), part(1, 1, 3)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadTurns(b)
		if err != nil {
			return
		}
		again, err := AppendTurns(nil, &got)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ReadTurns(again); err != nil || fmt.Sprint(back) != fmt.Sprint(got) { // text, because of NaN
			t.Errorf("error %v; %+v comes back as %+v", err, got, back)
		}
		c := New(Config{Settings: Defaults(), GroupSize: size})
		if c.examineTurns(&held{size: size}, &got) != nil {
			return
		}
		marks, err := c.journals.add("a", got.Episodes)
		if err != nil {
			return
		}
		sum := 0
		for _, b := range c.journals.begun("a") {
			if sum += weight(b.Episode.Turns); marks[b.Number] != b.Mark() || b.From != 0 {
				t.Errorf("the mark of %+v is %+v", b, marks[b.Number])
			}
		}
		if c.journals.bytes != sum {
			t.Errorf("%d bytes, want %d", c.journals.bytes, sum)
		}
	})
}
