package gateway

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// at sets the version of the weights that sample from now on.
func (p *parrot) at(version int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breaks = func(s *quintain.Sample) {
		for i := range s.Versions {
			s.Versions[i] = version
		}
	}
}

// view is what a caller sees of a session.
func (b *bench) view(s MadeSession) (v View) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.want(200, "GET", "/v1/sessions/"+s.ID, "")), &v); err != nil {
		b.t.Fatal(err)
	}
	return v
}

// A session of too many weights is no sample of any: whatever its reward, its group is stale.
func TestSpans(t *testing.T) {
	for _, test := range []struct {
		why      string
		settings int
		spec     string
		versions []int32 // of its calls
		want     quintain.Outcome
		drop     rollout.Drop
	}{
		{"any number", 0, `{"name": "x", "of": 1}`, []int32{1, 90}, quintain.Scored, ""},
		{"as many as it may", 2, `{"name": "x", "of": 1}`, []int32{5, 7, 6}, quintain.Scored, ""},
		{"one more", 2, `{"name": "x", "of": 1}`, []int32{7, 4}, quintain.TimedOut, rollout.DropStale},
		{"more than the caller wants", 0, `{"name": "x", "of": 1, "limits": {"span": 1}}`, []int32{1, 3}, quintain.TimedOut, rollout.DropStale},
		{"a caller has no more than the settings", 1, `{"name": "x", "of": 1, "limits": {"span": 5}}`, []int32{1, 3}, quintain.TimedOut, rollout.DropStale},
		{"weights without versions", 1, `{"name": "x", "of": 1}`, []int32{-1, -1}, quintain.Scored, ""},
	} {
		b := open(t, func(c *Config) { c.Settings.Limits.Span = test.settings })
		s := b.make(test.spec).Sessions[0]
		for _, version := range test.versions {
			b.policy.at(version)
			b.post(s, 200, ask)
		}
		if v, want := b.view(s).Versions, []int32{slices.Min(test.versions), slices.Max(test.versions)}; !slices.Equal(v, want) {
			t.Errorf("%s: versions %v, want %v", test.why, v, want)
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1, "force": true}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		if r := b.result(); r.Drop != test.drop || r.Trajectories[0].Outcome != test.want || test.drop != "" && r.Trajectories[0].Reward() != 0 {
			t.Errorf("%s: dropped as %q, %s, reward %v", test.why, r.Drop, r.Trajectories[0].Outcome, r.Trajectories[0].Reward())
		}
	}
}

// Such a session ends at once, and says why, also in the next process; another one may take its
// place in the group.
func TestSpansEndSessions(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, func(c *Config) { c.Folder, c.Settings.Limits.Span = folder, 2 })
	m := b.make(`{"name": "x", "of": 2, "replace": 1}`)
	s := m.Sessions[0]
	b.policy.at(3)
	b.post(s, 200, ask)
	b.policy.at(6)
	b.post(s, 200, ask)
	b = b.again(folder)
	b.until(func() bool { return b.view(s).State == Sealed })
	if text := b.post(s, 410, ask); !strings.Contains(text, "versions 3 to 6 of the weights, more than 2 apart") {
		t.Errorf("the agent is told %s", text)
	}
	b.play(m.Sessions[1], "1")
	b.play(b.more(m), "0")
	if r := b.result(); r.Drop != "" || len(r.Trajectories) != 2 {
		t.Errorf("dropped as %q, %d sessions", r.Drop, len(r.Trajectories))
	}
}

// Sessions that are not trained on may be of any weights.
func TestSpansOfExams(t *testing.T) {
	b := open(t, func(c *Config) { c.Settings.Limits.Span = 1 })
	s := b.make(`{"name": "x", "of": 1, "mode": "exam"}`).Sessions[0]
	for _, version := range []int32{1, 9} {
		b.policy.at(version)
		b.post(s, 200, ask)
	}
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	b.until(func() bool { return b.view(s).Outcome == quintain.Scored })
}
