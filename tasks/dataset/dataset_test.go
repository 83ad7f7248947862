package dataset_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// read reads lines.
func read(t testing.TB, text string, columns dataset.Columns) *dataset.Set {
	t.Helper()
	s, err := dataset.Open(inMemory("sums.v2.jsonl", text), columns, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draw returns a problem of s.
func draw(t testing.TB, s *dataset.Set, index int) quintain.Problem {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFormsOfTheField(t *testing.T) {
	for _, test := range []struct {
		why, line        string
		columns          dataset.Columns
		question, answer string
	}{
		{"AReaL", `{"query_id":"b@1","prompt":"Half of 10?","task":"math","solutions":["\\boxed{5}"]}`, dataset.Columns{}, "Half of 10?", "5"},
		{"AReaL, with a template", `{"query_id":1,"prompt":"<|im_start|>system\nBe good<|im_end|>\n<|im_start|>user\nHalf of 10?<|im_end|>\n<|im_start|>assistant\n","task":"stem","solutions":["5"]}`, dataset.Columns{}, "Half of 10?", "5"},
		{"AReaL, with another", `{"query_id":"a","prompt":"<｜User｜>Half of 10?\nThink.<｜Assistant｜><think>\n","task":"math","solutions":["5"]}`, dataset.Columns{}, "Half of 10?\nThink.", "5"},
		{"MATH", `{"problem":"Half of 10?","level":"Level 1","type":"Algebra","solution":"It is $\\boxed{5}$."}`, dataset.Columns{}, "Half of 10?", "5"},
		{"MATH-500", `{"problem":"Half of 10?","solution":"$\\boxed{\\text{five}}$","answer":"5","unique_id":"x"}`, dataset.Columns{}, "Half of 10?", "5"},
		{"AIME", `{"ID":"2024-I-1","Problem":"Half of 10?","Answer":5}`, dataset.Columns{}, "Half of 10?", "5"},
		{"AIME, as a number with a fraction", `{"problem":"Half of 10?","answer":5.0}`, dataset.Columns{}, "Half of 10?", "5.0"},
		{"MATH-500, with a fraction", `{"problem":"Half of 1?","answer":"\\frac{1}{2}"}`, dataset.Columns{}, "Half of 1?", `\frac{1}{2}`},
		{"GSM8K", `{"question":"Half of 10?","answer":"10 / 2 = <<10/2=5>>5\n#### 5"}`, dataset.Columns{}, "Half of 10?", "5"},
		{"verl", `{"data_source":"openai/gsm8k","prompt":[{"role":"system","content":"Be good"},{"role":"user","content":"Half of 10?"}],"ability":"math","reward_model":{"style":"rule","ground_truth":"5"},"extra_info":{"index":0}}`, dataset.Columns{}, "Half of 10?", "5"},
		{"verl, with a number", `{"prompt":[{"role":"user","content":"Half of 10?"}],"reward_model":{"style":"rule","ground_truth":5}}`, dataset.Columns{}, "Half of 10?", "5"},
		{"a byte order mark", "\ufeff" + `{"question":"Half of 10?","answer":"5"}`, dataset.Columns{}, "Half of 10?", "5"},
		{"columns by setting", `{"q":"Half of 10?","answer":"7","a":"5"}`, dataset.Columns{Question: "q", Answer: "a"}, "Half of 10?", "5"},
	} {
		s := read(t, test.line, test.columns)
		p := draw(t, s, 0)
		if got, err := s.Solve(p); p.Prompt != test.question || got != test.answer || err != nil {
			t.Errorf("%s: %q has the answer %q, error %v", test.why, p.Prompt, got, err)
		}
	}
}

func TestBadRowsAreReportedAndTheRestIsUsed(t *testing.T) {
	const good = `{"id":"a","question":"q","answer":1}`
	long := `{"question":"` + strings.Repeat("x", 4<<20) + `","answer":1}`
	for _, test := range []struct{ why, line, says string }{
		{"no JSON", `{`, "row 2: the JSON ends too early"},
		{"no object", `[1]`, "row 2: is a list, want an object"},
		{"half a character", "{\"question\":\"caf\xe9?\",\"answer\":2}", "row 2: byte 17, 0xe9, is not UTF-8: write the text anew as UTF-8"},
		{"half a pair", `{"question":"\ud800","answer":2}`, "row 2: question: has half a surrogate pair"},
		{"a name twice", `{"question":"q","question":"r","answer":2}`, "row 2: "},
		{"two values", good + good, "row 2: '{' stands where it may not in JSON"},
		{"too long", long, "row 2: it has more than 4194304 bytes"},
		{"no question", `{"answer":1}`, "row 2: question: is missing"},
		{"a question other than a text", `{"question":{"en":"q"},"answer":1}`, "row 2: question: is not a text, a number or a truth value"},
		{"no answer", `{"question":"q"}`, "row 2: answer: is missing"},
		{"an answer of null", `{"question":"q","answer":null}`, "row 2: answer: is missing"},
		{"no solutions", `{"question":"q","solutions":[]}`, "row 2: answer: the list is empty"},
		{"a solution other than a text", `{"question":"q","solutions":["1",{}]}`, "row 2: answer: is not a text, a number"},
		{"an answer that nobody can read", `{"question":"q","answer":"x+"}`, `row 2: answer: the gold answer "x+" cannot be read: the end stands where`},
		{"code", `{"query_id":"c","prompt":"q","task":"code","input_output":"{}"}`, `row 2: task: is "code", want math or stem`},
		{"a column of tests", `{"question":"r","answer":"2","test":"from solution import f\nassert f() == 2"}`, "row 2: test: is a column of programs"},
		{"messages without the user's", `{"prompt":[{"role":"system","content":"q"}],"answer":2}`, "row 2: question: is a list without a message of the user"},
		{"verl without ground truth", `{"prompt":[{"role":"user","content":"q"}],"reward_model":{"style":"rule"}}`, "row 2: answer: is missing"},
		{"a prompt's tokens as a text", `{"question":"r","answer":2,"packed_prompts":"1 2"}`, "row 2: packed_prompts: want a list of tokens, one or more"},
		{"no token", `{"question":"r","answer":2,"packed_prompts":[]}`, "row 2: packed_prompts: want a list of tokens, one or more"},
		{"half a token", `{"question":"r","answer":2,"packed_prompts":[1,1.5]}`, "row 2: packed_prompts: 1.5 at 1 is no token: want a whole number of 0 to 2147483647"},
		{"a token below zero", `{"question":"r","answer":2,"packed_prompts":[-1]}`, "row 2: packed_prompts: -1 at 0 is no token"},
		{"an ID that is taken", `{"id":"a","question":"r","answer":2}`, `row 2: id: "a" is already the ID of row 1`},
	} {
		s := read(t, good+"\n"+test.line+"\n\n"+`{"id":"b","question":"r","answer":2}`, dataset.Columns{})
		if f := s.Faults(); len(f) != 1 || !strings.HasPrefix(f[0].Error(), test.says) || s.Size(0) != 2 {
			t.Errorf("%s: %d problems, faults %.200v, want %q", test.why, s.Size(0), f, test.says)
		}
		if _, err := dataset.Open(inMemory("x.jsonl", test.line), dataset.Columns{}, mathverify.Grade); (err == nil) != (test.why == "an ID that is taken") {
			t.Errorf("%s: alone in the file: error %v", test.why, err)
		}
	}
	if _, err := dataset.Open(inMemory("x.jsonl", "\n"), dataset.Columns{}, mathverify.Grade); err == nil {
		t.Error("an empty file is a set")
	}
}

func TestEachEpochHasEveryProblemOnce(t *testing.T) {
	var lines strings.Builder
	const n = 50
	for i := range n {
		fmt.Fprintf(&lines, `{"question":"%d","answer":%d}`+"\n", i, i)
	}
	s := read(t, lines.String(), dataset.Columns{})
	var epochs [3][]string
	for i := range epochs {
		for k := range n {
			epochs[i] = append(epochs[i], draw(t, s, i*n+k).Prompt)
		}
	}
	if slices.Equal(epochs[0], epochs[1]) {
		t.Error("two epochs have the same order")
	}
	if p, err := s.Problem(quintain.Draw{Seed: 2}); err != nil || p.Prompt == epochs[0][0] && draw(t, s, 1).Prompt == epochs[1][0] {
		t.Errorf("another seed has the same order, error %v", err)
	}
	if again := draw(t, s, n+3).Prompt; again != epochs[1][3] {
		t.Errorf("the same draw gives %q and %q", again, epochs[1][3])
	}
	for _, epoch := range epochs {
		slices.Sort(epoch)
		if len(slices.Compact(epoch)) != n {
			t.Error("an epoch has a problem twice")
		}
	}
}

func TestIdentityIsThatOfTheContent(t *testing.T) {
	a := draw(t, read(t, `{"question":"q","answer":"1"}`, dataset.Columns{}), 0)
	same := draw(t, read(t, "\n"+`{"Problem":"q","id":2,"Answer":1}`, dataset.Columns{}), 0)
	other := draw(t, read(t, `{"question":"q","answer":"2"}`, dataset.Columns{}), 0)
	if a.ID() == other.ID() {
		t.Errorf("two sets have problems of one ID, %s", a.ID())
	}
	_, name, d, err := quintain.ParseID(a.ID())
	if err != nil || name != "sums_v2" || d.Level != quintain.OwnParams {
		t.Errorf("%s is read as %s, %+v, error %v", a.ID(), name, d, err)
	}
	if same.ID() == a.ID() {
		t.Error("a row with another name has the same ID") // the name is part of the content
	}
}

func TestNaNIsNoAnswer(t *testing.T) {
	type item struct {
		Problem string  `parquet:"problem"`
		Answer  float64 `parquet:"answer"`
		Rate    float32 `parquet:"rate"`
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := parquet.WriteFile(path, []item{{"a", 2.5, float32(math.NaN())}, {"b", math.NaN(), 1}, {"c", math.Inf(-1), 1}, {"d", 4, 0.1}}); err != nil {
		t.Fatal(err)
	}
	s, err := dataset.Open(opened(t, path), dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Faults(); len(f) != 2 || f[0].Row != 2 || f[0].Error() != "row 2: answer: is missing" || f[1].Row != 3 || s.Size(0) != 2 {
		t.Errorf("%d problems, faults %v", s.Size(0), f)
	}
}

func TestParquetIsTheSameSet(t *testing.T) {
	type item struct {
		Problem   string   `parquet:"problem"`
		Solutions []string `parquet:"solutions,list"`
		ID        int64    `parquet:"id"`
	}
	items := []item{{"Half of 10?", []string{`\boxed{5}`, "6"}, 1}, {"", nil, 2}, {"2 + 2?", []string{"4"}, 3}}
	path := filepath.Join(t.TempDir(), "sums.v2.parquet")
	if err := parquet.WriteFile(path, items); err != nil {
		t.Fatal(err)
	}
	s, err := dataset.Open(opened(t, path), dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	lines := read(t, `{"id":1,"problem":"Half of 10?","solutions":["5","6"]}`+"\n{}\n"+`{"id":3,"problem":"2 + 2?","answer":4}`, dataset.Columns{})
	if len(s.Faults()) != 1 || s.Faults()[0].Row != 2 || draw(t, s, 1).ID() != draw(t, lines, 1).ID() {
		t.Errorf("faults %v; problem %s, and of lines %s", s.Faults(), draw(t, s, 1).ID(), draw(t, lines, 1).ID())
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 3 { // a file damaged anywhere is an error or another set, never a panic
		damaged := slices.Clone(whole)
		damaged[n] ^= 0x55
		_, _ = dataset.Open(inMemory("x.parquet", string(damaged[:n])), dataset.Columns{}, mathverify.Grade)
		_, _ = dataset.Open(inMemory("x.parquet", string(damaged)), dataset.Columns{}, mathverify.Grade)
	}
}

func TestMetadataOfARow(t *testing.T) {
	for _, test := range []struct {
		why, line, id, meta string
	}{
		{"a row of AReaL", `{"query_id":"q7","prompt":"1+1","solutions":["2"],"task":"stem","level":3,"hard":true}`, "q7", `{"hard":true,"level":3,"task":"stem"}`},
		{"no other column", `{"question":"1+1","answer":2}`, "1", `null`},
		{"lists, objects, nothing and long texts are left out", `{"question":"1+1","answer":2,"scores":[1],"of":{},"none":null,"text":"` + strings.Repeat("x", 257) + `","type":"Algebra"}`, "1", `{"type":"Algebra"}`},
		{"columns under other spellings", `{"Problem":"1+1","Answer":2,"ID":"a","Year":"1999"}`, "a", `{"Year":"1999"}`},
	} {
		p := draw(t, read(t, test.line, dataset.Columns{}), 0)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again quintain.Problem
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		for _, p := range []quintain.Problem{p, again} {
			id, meta, ok := dataset.About(p)
			text, err := json.Marshal(meta)
			if id != test.id || string(text) != test.meta || !ok || err != nil {
				t.Errorf("%s: %q, %s, %v, error %v", test.why, id, text, ok, err)
			}
		}
	}
	if _, _, ok := dataset.About(quintain.Problem{Level: quintain.OwnParams, Params: []byte(`{"max_terms":2}`)}); ok {
		t.Error("a generated problem is from a file")
	}
}

func TestTokensOfAPrompt(t *testing.T) {
	type item struct {
		Problem string  `parquet:"problem"`
		Answer  string  `parquet:"answer"`
		Tokens  []int32 `parquet:"packed_prompts,list"`
	}
	path := filepath.Join(t.TempDir(), "sums.parquet")
	if err := parquet.WriteFile(path, []item{{"1+1", "2", []int32{151644, 0, 7}}}); err != nil {
		t.Fatal(err)
	}
	columns, err := dataset.Open(opened(t, path), dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	want := []quintain.Token{151644, 0, 7}
	for why, set := range map[string]*dataset.Set{
		"JSON lines": read(t, `{"prompt":"1+1","answer":2,"packed_prompts":[151644,0,7]}`, dataset.Columns{}),
		"Parquet":    columns,
	} {
		if got := set.Tokens(draw(t, set, 0)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", why, got, want)
		}
	}
	none := read(t, `{"prompt":"1+1","answer":2}`, dataset.Columns{})
	if got := none.Tokens(draw(t, none, 0)); got != nil {
		t.Errorf("a row without tokens has %v", got)
	}
}

func TestGradeByTheRecordAlone(t *testing.T) {
	s := read(t, `{"question":"q","solutions":["1,000","7"]}`, dataset.Columns{})
	text, err := json.Marshal(draw(t, s, 0))
	if err != nil {
		t.Fatal(err)
	}
	var p quintain.Problem
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		answer    string
		want      float64
		malformed bool
	}{{"1000", 1, false}, {"1e3", 1, false}, {"+7.0", 1, false}, {"8", 0, false}, {"x", 0, false}, {"x+", 0, true}, {"", 0, true}} {
		for _, problem := range []quintain.Problem{p, draw(t, s, 0)} {
			if v, err := s.Grade(problem, test.answer); err != nil || v.Score != test.want || v.Malformed != test.malformed {
				t.Errorf("%q gets %+v, error %v", test.answer, v, err)
			}
		}
	}
	for _, bad := range []string{`{}`, `{"answers":[]}`, `[`, `{"answers":["x+"]}`, `{"answers":["2","x+"]}`} {
		p.Instance = quintain.RawRecord([]byte(bad))
		if _, err := s.Grade(p, "1"); err == nil {
			t.Errorf("the record %s is graded", bad)
		}
	}
}

func TestGoldAnswersOfAllKinds(t *testing.T) {
	for _, test := range []struct{ why, gold, right, wrong string }{
		{"a fraction", `\frac{14}{3}`, `4\frac{2}{3}`, `\frac{3}{14}`},
		{"an interval", `(-\infty, 2]`, `(-\infty,\frac{4}{2}]`, `(-\infty,2)`},
		{"a matrix", `\begin{pmatrix} 1 \\ 2 \end{pmatrix}`, `\begin{bmatrix} 1 \\ 4/2 \end{bmatrix}`, `\begin{pmatrix} 1 & 2 \end{pmatrix}`},
		{"an expression", `\sqrt{12}+x^2`, `x^2+2\sqrt{3}`, `x^2+\sqrt{3}`},
		{"a list", "3, 5, 7", "7, 3 and 5", "3, 5"},
		{"words", `\text{Evelyn}`, "evelyn", "Angela"},
		{"a choice", `\text{(C)}`, "C", "D"},
		{"a percentage", `35\%`, "0.35", "0.53"},
	} {
		line, err := json.Marshal(map[string]string{"question": "q", "answer": test.gold})
		if err != nil {
			t.Fatal(err)
		}
		s := read(t, string(line), dataset.Columns{})
		for _, answer := range []string{test.gold, test.right, test.wrong} {
			v, err := s.Grade(draw(t, s, 0), answer)
			if err != nil || (v.Score == 1) == (answer == test.wrong) || v.Malformed {
				t.Errorf("%s: %s for %s gets %+v, error %v", test.why, answer, test.gold, v, err)
			}
		}
	}
}

func TestSetHasNoSettings(t *testing.T) {
	s := read(t, `{"question":"q","answer":1}`, dataset.Columns{})
	if _, err := s.With(s.Info().Levels[0]); err != nil {
		t.Errorf("its own parameters: error %v", err)
	}
	if _, err := s.With([]byte(`{"sha256":"0"}`)); err == nil {
		t.Error("the hash of another set is accepted")
	}
	for _, d := range []quintain.Draw{{Level: 1}, {Index: -1}} {
		if _, err := s.Problem(d); err == nil {
			t.Errorf("%+v is a problem", d)
		}
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add(`{"id":"a","question":"What is 6 times 7?","answer":"42"}` + "\n\n" + `{"query_id":"b","prompt":"[INST]Half of 10?[/INST]","solutions":["\\boxed{5}"],"task":"math"}`)
	f.Add(`{"question":"q","answer":"#### -1,000"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := dataset.Open(inMemory("sums.jsonl", text), dataset.Columns{}, mathverify.Grade)
		if err != nil {
			return
		}
		for index := range s.Size(0) {
			p := draw(t, s, index)
			solution, err := s.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := s.Grade(p, solution); err != nil || v.Score != 1 {
				t.Errorf("its own solution %q gets %+v, error %v", solution, v, err)
			}
		}
	})
}

// opened opens a file of rows for a test.
func opened(t testing.TB, path string) *dataset.File {
	t.Helper()
	file, err := dataset.OpenRows(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// inMemory returns a file that has a text.
func inMemory(name, text string) *dataset.File {
	return &dataset.File{Name: name, Data: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}
}
