package reasoninggym_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

var problem = quintain.Problem{
	Task: "chain_sum", Version: 1, Seed: 3, Level: 1, Index: 7,
	Params:   json.RawMessage(`{"min_terms":2,"max_terms":6,"min_digits":1,"max_digits":4,"allow_negation":false}`),
	Prompt:   "Work out 2 + 3.",
	Instance: quintain.RawRecord([]byte(`{"num_terms":2,"num_digits":1,"expression":"2 + 3"}`)),
}

func TestAppend(t *testing.T) {
	var w reasoninggym.Writer
	for range 2 { // the second entry reuses the difficulty of the first
		got, err := w.Append([]byte("# "), problem, `5 "or" so\`)
		if err != nil {
			t.Fatal(err)
		}
		want := `# {"question":"Work out 2 + 3.","answer":"5 \"or\" so\\","metadata":{"source_dataset":"chain_sum","source_index":7,` +
			`"num_terms":2,"num_digits":1,"expression":"2 + 3","difficulty":{"allow_negation":false,"num_digits":[1,4],"num_terms":[2,6]}}}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	other := problem
	other.Params = json.RawMessage(`{"min_terms":3,"max_terms":3}`)
	if got, err := w.Append(nil, other, "5"); err != nil || !strings.Contains(string(got), `"difficulty":{"num_terms":[3,3]}`) {
		t.Errorf("got %s, error %v; want the difficulty of other parameters", got, err)
	}
}

// Texts are written as encoding/json writes them.
func TestAppendTexts(t *testing.T) {
	texts := []string{"", "a\nb", "2 × 3 = 6°", "<b>&amp;</b>", "\u2027\u2028", "\u2029", "\u202a", "\xe2\x80", "ab\xffc", "\ufffd", "😀", "\u007f\u0080"}
	for c := range 256 {
		texts = append(texts, string([]byte{'x', byte(c), 'y'}), string([]byte{byte(c), '"'}), string(rune(c)))
	}
	var w reasoninggym.Writer
	for _, text := range texts {
		p := problem
		p.Prompt = text
		got, err := w.Append(nil, p, text)
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		form := strings.NewReplacer(`\ufffd`, "\ufffd") // Go 1.26 escapes what is no UTF-8, and 1.27 does not
		if want := `{"question":` + string(quoted) + `,"answer":` + string(quoted) + `,"metadata":`; !strings.HasPrefix(form.Replace(string(got)), form.Replace(want)) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestReadsWrittenProblems(t *testing.T) {
	var w reasoninggym.Writer
	line, err := w.Append(nil, problem, "5")
	if err != nil {
		t.Fatal(err)
	}
	var e reasoninggym.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	p, err := reasoninggym.Read(e)
	if err != nil {
		t.Fatal(err)
	}
	if p.Task != problem.Task || p.Prompt != problem.Prompt || p.Level != quintain.OwnParams {
		t.Errorf("got %+v", p)
	}
	var got, want map[string]any
	if err := json.Unmarshal([]byte(p.Instance.String()), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(problem.Instance.String()), &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || got["expression"] != want["expression"] {
		t.Errorf("record %v, want %v", got, want)
	}
}

// Entries of some tasks have the solution only in the answer.
func TestReadTakesTheAnswer(t *testing.T) {
	answer := `#B "A#"`
	for name, want := range map[string]string{"ab": `{"answer":"#B \"A#\""}`, "sentence_reordering": `{"answer":"#B \"A#\""}`, "chain_sum": `{}`} {
		e := reasoninggym.Entry{Question: "?", Answer: &answer, Metadata: json.RawMessage(`{"source_dataset":"` + name + `","difficulty":{"length":10}}`)}
		if p, err := reasoninggym.Read(e); err != nil || p.Instance.String() != want {
			t.Errorf("%s: record %s, error %v; want %s", name, p.Instance, err, want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ metadata, names string }{
		{`[]`, "metadata"},
		{`{}`, "source_dataset"},
		{`{"source_dataset":5}`, "source_dataset"},
		{``, "metadata"},
	} {
		_, err := reasoninggym.Read(reasoninggym.Entry{Metadata: json.RawMessage(test.metadata)})
		if err == nil || !strings.Contains(err.Error(), test.names) {
			t.Errorf("metadata %s: error %v, want one that names %s", test.metadata, err, test.names)
		}
	}
}

func TestAppendRefusesABrokenProblem(t *testing.T) {
	for _, spoil := range []func(*quintain.Problem){
		func(p *quintain.Problem) { p.Params = nil },
		func(p *quintain.Problem) { p.Instance = quintain.RawRecord([]byte(`[]`)) },
	} {
		p := problem
		spoil(&p)
		var w reasoninggym.Writer
		if line, err := w.Append(nil, p, "5"); err == nil {
			t.Errorf("wrote %s", line)
		}
	}
}
