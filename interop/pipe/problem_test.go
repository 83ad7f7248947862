package pipe

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A problem is written as encoding/json writes it, whatever the previous one was.
func TestProblemsAreWrittenAsEncodingJSON(t *testing.T) {
	type instance struct {
		Text string `json:"text"`
	}
	plain := quintain.Problem{Task: "a", Version: 2, Seed: 7, Level: 1, Index: 3, Params: []byte(`{"x":1}`), Prompt: "2 < 3\n", Instance: quintain.NewRecord(instance{"×"})}
	problems := []quintain.Problem{plain, plain}
	for _, change := range []func(p *quintain.Problem){
		func(p *quintain.Problem) { p.Index = -4 },
		func(p *quintain.Problem) { p.Task = `"index":0,"params":` },
		func(p *quintain.Problem) { p.Scenario = "s.v1" },
		func(p *quintain.Problem) { p.Version = 0 },
		func(p *quintain.Problem) { p.Seed = 1<<64 - 1 },
		func(p *quintain.Problem) { p.Level = quintain.OwnParams },
		func(p *quintain.Problem) { p.Params = []byte(`{ "x" : "<" }`) },
		func(p *quintain.Problem) { p.Params = nil },
		func(p *quintain.Problem) { p.Params = []byte{} }, // an error
		func(p *quintain.Problem) { p.Params = []byte(`{"x":2}`) },
		func(p *quintain.Problem) { p.Prompt = "" },
		func(p *quintain.Problem) { p.Instance = quintain.Record{} },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord([]byte(` {"a": 1}`)) },
		func(p *quintain.Problem) { p.Instance = quintain.NewRecord(func() {}) }, // an error
	} {
		p := plain
		change(&p)
		problems = append(problems, p, p)
	}
	write := newProblemWriter()
	for _, p := range problems {
		want, wantErr := json.Marshal(p)
		got, err := write([]byte("# "), nil, p)
		if (err != nil) != (wantErr != nil) || err == nil && !bytes.Equal(got, append([]byte("# "), want...)) {
			t.Errorf("%+v is written as %s, error %v; want %s, error %v", p, got, err, want, wantErr)
		}
	}
}
