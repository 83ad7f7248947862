package hub

import (
	"net/http"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// TestSameProblem counts the groups of problems that another environment has played.
func TestSameProblem(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	codec := groupform.NewCodec(1 << 20)
	post := func(env int32, id string, index int) {
		t.Helper()
		g := &quintain.Group{
			ID: id, EnvID: &env, Origin: quintain.Origin{Task: "gcd", Seed: 3, Index: index},
			Tokens: [][]quintain.Token{{1}}, Masks: [][]int32{{1}}, Scores: []float64{1},
		}
		body, err := codec.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		w := f.do("POST", mainPath+"/groups", string(groupform.AppendFrame(nil, 0, body)), "Content-Type: "+groupform.Frames)
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for _, test := range []struct {
		why   string
		env   int32
		id    string
		index int
		want  uint64
	}{
		{"a problem", 0, "run-a/1", 1, 0},
		{"another one of the same run", 0, "run-a/2", 2, 0},
		{"a repeated post", 0, "run-a/1", 1, 0},
		{"one run, which registered again", 1, "run-a/3", 2, 0},
		{"another problem of another run", 2, "run-b/1", 3, 0},
		{"a problem of two runs", 2, "run-b/2", 1, 1},
		{"and of a third", 3, "run-c/1", 1, 2},
		{"a group that names no run", 3, "odd", 1, 2},
	} {
		post(test.env, test.id, test.index)
		if st := f.run.Stats(); st.Twins != test.want {
			t.Errorf("%s: counted %d, want %d", test.why, st.Twins, test.want)
		}
	}
}
