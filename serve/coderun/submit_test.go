package coderun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
	"github.com/quintain-rl/quintain/tasks/codetask"
)

// echo is a sandbox whose programs print their input to both outputs.
var echo = box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
	return sandbox.Result{End: sandbox.Exited, Stdout: job.Stdin, Stderr: job.Stdin}, nil
}}

// leak is a sandbox whose programs fail in the hidden test of set, and tell it.
var leak = box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
	code := len(job.Stdin) - len("open")
	return sandbox.Result{End: sandbox.Exited, Code: code, Stdout: job.Stdin, Stderr: job.Stdin}, nil
}}

// set writes a data set with a public and a hidden test, and opens it.
func set(t testing.TB) *problems.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	row := `{"id":7,"statement":"Print the input.","difficulty":"easy","tests":{"language":"python","kind":"stdin","cases":[{"input":"open","output":"open","public":true},{"input":"secret","output":"secret"}]},"solutions":["print(input())"]}`
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const oj = `"config":{"language":"python","provided_data":{"test":[{"input":{"stdin":"1"},"output":{"stdout":"1"}},{"input":{"stdin":"2"},"output":{"stdout":"3"}},{"input":{"stdin":"4"},"output":{"stdout":"4"}}]}`

func TestSubmit(t *testing.T) {
	t.Parallel()
	block := "```python\\nx\\n```"
	for _, test := range []struct {
		box    sandbox.Sandbox
		body   string
		status int
		want   string
		why    string
	}{
		{echo, `{"dataset":"any","id":3,"completion":"` + block + `",` + oj + `,"extra":{"run_all_cases":true}}}`, 200,
			`{"passed":false,"exec_info":{"status":"Success","message":"","compile_result":null,"run_result":{"status":"Finished","execution_time":0,"return_code":0,"stdout":"2","stderr":""},"executor_pod_name":null,"files":{}},"test_info":{"input":{"stdin":"2"},"output":{"stdout":"3"}}},{"passed":true`, "all cases run"},
		{echo, `{"dataset":"any","id":"a/../b","completion":"` + block + `",` + oj + `}}`, 200, `{"id":"a/../b","accepted":false,"extracted_code":"x\n"`, "an ID is no path"},
		{echo, `{"dataset":"any","id":0,"completion":"x",` + oj + `}}`, 200, `"extracted_code":"x"`, "a bare program"},
		{echo, `{"dataset":"any","id":0,"completion":"",` + oj + `}}`, 200, `"accepted":false,"extracted_code":""`, "nothing"},
		{ends(sandbox.Result{End: sandbox.CPULimit}, nil), `{"dataset":"any","id":0,"completion":"x",` + oj + `}}`, 200, `"status":"Failed","message":"","compile_result":null,"run_result":{"status":"TimeLimitExceeded","execution_time":0,"return_code":null`, "too slow"},
		{ends(sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("E")}, nil), `{"dataset":"any","id":0,"completion":"x",` + oj + `}}`, 200, `"return_code":1,"stdout":"","stderr":"E"`, "a crash"},
		{ends(sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("bad")}, nil), `{"dataset":"any","id":0,"completion":"x",` + strings.Replace(oj, "python", "cpp", 1) + `}}`, 200, `"compile_result":{"status":"Finished","execution_time":0,"return_code":1,"stdout":"","stderr":"bad (exited)"},"run_result":null`, "no program of C++"},
		{ends(sandbox.Result{}, errors.New("no room")), `{"dataset":"any","id":0,"completion":"x",` + oj + `}}`, 503, "no room", "a fault of the machine is no rejected program"},
		{echo, `{"dataset":"any","id":0,"completion":"x",` + strings.Replace(oj, "python", "cobol", 1) + `}}`, 400, "want one of python", "the client learns the languages"},
		{echo, `{"dataset":"any","id":0,"completion":"x","config":{}}`, 400, `there are rows, write_program`, "no such data set"},
		{echo, `{"dataset":"rows","id":8,"completion":"x","config":{}}`, 404, `rows has no problem`, "no such problem"},
		{echo, `{"dataset":"/etc/passwd","id":8,"completion":"x","config":{}}`, 400, "there is no", "a name is no path"},
		{echo, `{"dataset":"rows","completion":"x","config":{}}`, 422, "id: is missing", "no problem"},
		{echo, `{"dataset":"rows","id":7,"config":{}}`, 422, "completion: is missing", "nothing was submitted"},
		{echo, `{"dataset":"rows","id":[],"completion":"x","config":{}}`, 422, "", "an ID that is none"},
		{echo, `{"dataset":"rows","id":7,"completion":"x","config":{"run_timeout":0}}`, 422, "config.run_timeout: is 0", "a time must be one"},
		{echo, `{"dataset":"rows","id":7,"completion":"x","config":{"custom_extract_logic":"x"}}`, 422, "custom_extract_logic", "foreign code is not run here"},
		{echo, `{"dataset":"any","id":0,"completion":"x","config":{"provided_data":[{"test":[]}]}}`, 422, "want one row", "a list"},
		{echo, `{"dataset":"any","id":0,"completion":"x","config":{"provided_data":{"test":[]}}}`, 422, "there are no tests", "a row that tests nothing"},
		{echo, `{"dataset":"any","id":0,"completion":"x","config":{"provided_data":{"test":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}}`, 422, "", "deep data"},
		{echo, `{"dataset":"rows","id":7,"completion":"` + block + `","config":{}}`, 200, `"accepted":true`, "a row of the server"},
	} {
		s := &Server{Box: test.box, Sets: map[string]*problems.Set{"rows": set(t)}}
		status, answer := ask(t, s, "/submit", test.body)
		if status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %s gives %d %s, want %d %s", test.why, test.body, status, answer, test.status, test.want)
		}
	}
}

// The hidden tests and the solutions of a data set are in no answer.
func TestHiddenTestsStayHidden(t *testing.T) {
	t.Parallel()
	s := &Server{Box: leak, Sets: map[string]*problems.Set{"rows": set(t)}}
	for path, body := range map[string]string{
		"/submit":           `{"dataset":"rows","id":7,"completion":"x","config":{"extra":{"run_all_cases":true}}}`,
		"/v1/code/grade":    `{"dataset":"rows","problem":7,"code":"x"}`,
		"/get_prompts":      `{"dataset":"rows","config":{}}`,
		"/get_prompt_by_id": `{"dataset":"rows","id":7,"config":{}}`,
		"/list_ids":         `{"dataset":"rows","config":{}}`,
	} {
		status, answer := ask(t, s, path, body)
		if status != 200 || strings.Contains(answer, "secret") || strings.Contains(answer, "print(input())") {
			t.Errorf("%s gives %d %s", path, status, answer)
		}
		if path == "/v1/code/grade" && !strings.Contains(answer, `"reason":"runtime_error"`) {
			t.Errorf("%s: the hidden test does not fail: %s", path, answer)
		}
		if path == "/submit" && !strings.Contains(answer, `"stdin":"open"`) {
			t.Errorf("%s does not tell the public test: %s", path, answer)
		}
	}
}

func TestDataSets(t *testing.T) {
	t.Parallel()
	s := &Server{Box: echo, Sets: map[string]*problems.Set{"rows": set(t)}}
	for _, test := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/get_prompts", `{"dataset":"rows","config":{},"offset":0,"limit":1000000}`, 200, `[{"id":"7","prompt":"Print the input.`},
		{"/get_prompts", `{"dataset":"rows","config":{},"offset":5}`, 200, `[]`},
		{"/get_prompts", `{"dataset":"rows","config":{},"offset":-1}`, 422, `want 0 or more`},
		{"/get_prompts", `{"dataset":"write_program","config":{},"offset":2147483647}`, 422, `want 0 or more`},
		{"/get_prompts", `{"dataset":"x","config":{}}`, 400, `there are rows, write_program`},
		{"/get_prompts", `{"dataset":"x","config":{"provided_data":[{"id":1,"content":"One.","test":["assert f()"]},{"id":2,"content":"Two.","test":["assert f()"]}]},"limit":1,"offset":1}`, 200, `[{"id":"2","prompt":"Two.`},
		{"/get_prompts", `{"dataset":"x","config":{"provided_data":[7]}}`, 422, `row 0`},
		{"/get_prompts", `{"dataset":"write_program","config":{"extra":{"seed":1,"level":2}},"limit":2,"offset":3}`, 200, `[{"id":"write_program.v`},
		{"/get_prompts", `{"dataset":"write_program","config":{"extra":{"level":99}},"limit":2}`, 422, `write_program`},
		{"/get_prompt_by_id", `{"dataset":"rows","id":"7","config":{}}`, 200, "begins with ```python.\",\"labels\":{\"difficulty\":\"easy\",\"programming_language\":\"python\"}}"},
		{"/get_prompt_by_id", `{"dataset":"write_program","id":"write_program.v0.s1.l0.0","config":{}}`, 404, `another version`},
		{"/get_prompt_by_id", `{"dataset":"write_program","id":"chain_sum.v5.s1.l0.0","config":{}}`, 404, `not the ID of a problem of write_program`},
		{"/list_ids", `{"dataset":"rows","config":{}}`, 200, `["7"]`},
		{"/get_metrics", `{"dataset":"rows","config":{},"results":[{"accepted":true},{"accepted":false}]}`, 200, `{"accepted":0.5,"results":2}`},
		{"/get_metrics_function", `{"dataset":"rows","config":{}}`, 200, `{"function":null}`},
	} {
		status, answer := ask(t, s, test.path, test.body)
		if status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%s %s gives %d %s, want %d %s", test.path, test.body, status, answer, test.status, test.want)
		}
	}
}

// own opens the sandbox of this machine; nil: it is below the floor.
func own(t testing.TB) *native.Box {
	t.Helper()
	b, err := native.New(native.Config{Zygote: []string{"python3", "-I", "-Xint_max_str_digits=0"}})
	if err != nil {
		return nil
	}
	t.Cleanup(func() { _ = b.Close() })
	if strength, err := b.Probe(t.Context()); err != nil || strength.Err() != nil {
		return nil
	}
	return b
}

// TestSubmissionsInTheSandbox has the sandbox of this machine judge programs by rows of all forms.
func TestSubmissionsInTheSandbox(t *testing.T) {
	t.Parallel()
	b := own(t)
	if b == nil {
		return
	}
	s := &Server{Box: b}
	draw := quintain.Draw{Seed: 1, Index: 5}
	mine, err := drawn(draw)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := codetask.New(draw)
	if err != nil {
		t.Fatal(err)
	}
	human := `{"task_id":"H/1","prompt":"def half(n):\n    \"\"\"Half of n.\"\"\"\n","entry_point":"half","test":"def check(f):\n    assert f(4) == 2\n","canonical_solution":"    return n // 2\n"}`
	auto := `{"id":1,"content":"c","test":{"code":"assert add(1, 2) == 3"},"labels":{"programming_language":"python"}}`
	mbpp := `{"id":1,"content":"c","test":["assert add(1, 2) == 3","assert add(0, 0) == 0"],"labels":{}}`
	for _, test := range []struct {
		dataset, id, completion, config string
		accepted                        bool
		want                            string
		why                             string
	}{
		{"write_program", mine.ID, "```python\n" + whole.Python + "\n```", `{}`, true, "", "our own solution"},
		{"write_program", mine.ID, "```python\nprint('no')\n```", `{}`, false, "", "a wrong answer"},
		{"h", "0", "    return n // 2\nprint('and more')\n", `{"provided_data":` + human + `}`, true, "", "a completion goes on with the prompt"},
		{"h", "0", "```python\ndef half(n):\n    return n // 2\n```", `{"extra":{"is_freeform":true},"provided_data":` + human + `}`, true, "", "a whole program"},
		{"h", "0", "    return n\n", `{"provided_data":` + human + `}`, false, `"return_code":1`, "an assertion that fails"},
		{"a", "0", "```python\ndef add(a, b): return a + b\nif __name__ == '__main__':\n    raise SystemExit(3)\n```", `{"provided_data":` + auto + `}`, true, "", "AutoEval leaves out the program's own main part"},
		{"a", "0", "```python\nimport os\nos._exit(0)\n```", `{"provided_data":` + auto + `}`, false, "", "an end with status 0 is no pass"},
		{"m", "0", "```python\ndef add(a, b): return a + b\n```", `{"provided_data":` + mbpp + `}`, true, "", "MBPP"},
		{"m", "0", "```python\ndef add(a, b): return 3\n```", `{"provided_data":` + mbpp + `}`, false, "", "one assertion of two"},
		{"m", "0", "```python\ndef add(a, b: return 3\n```", `{"provided_data":` + mbpp + `}`, false, "SyntaxError", "no program"},
	} {
		body := fmt.Sprintf(`{"dataset":%q,"id":%q,"completion":%s,"config":%s}`, test.dataset, test.id, quoted(t, test.completion), test.config)
		status, answer := ask(t, s, "/submit", body)
		if status != 200 || strings.Contains(answer, `"accepted":true`) != test.accepted || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %d %s", test.why, status, answer)
		}
	}
}

func quoted(t testing.TB, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// FuzzSubmit has a server read bodies: what it answers is JSON, and a judgement if the status is 200.
// The sandbox reports nothing of assertions, which has the status 503.
func FuzzSubmit(f *testing.F) {
	s := &Server{Box: echo, Sets: map[string]*problems.Set{"rows": set(f)}}
	for _, body := range []string{
		`{"dataset":"rows","id":7,"completion":"x","config":{"run_timeout":1}}`,
		`{"dataset":"any","id":"a","completion":"x",` + oj + `}}`,
		`{"dataset":"write_program","id":"write_program.v1.s1.l0.0","completion":"x","config":{}}`,
		`{"id":0,"completion":"x","config":{"provided_data":{"prompt":"def f():\n","entry_point":"f","test":"f()"}}}`,
		`{"id":1e999,"config":{"provided_data":{"test":{"code":"#<INSERT>"}}}}`, `[`, `null`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		status, answer := ask(t, s, "/submit", body)
		var got struct{ Tests []any }
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status == 500 || status == 200 && got.Tests == nil {
			t.Errorf("%q gives %d %q, %v", body, status, answer, err)
		}
	})
}

func TestDataSetsAreFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	row := `{"id":1,"content":"c","test":[{"input":{"stdin":"1"},"output":{"stdout":"1"}}]}`
	for _, name := range []string{"a.jsonl", "a.json", "write_program.jsonl", "empty.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.TrimPrefix(row, map[bool]string{true: row}[name == "empty.jsonl"])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ files, want string }{
		{"a.jsonl", ""},
		{"a.jsonl a.json", `another data set "a"`},
		{"write_program.jsonl", `another data set "write_program"`},
		{"empty.jsonl", "no row can be used"},
		{"none.jsonl", "no such file"},
	} {
		var files []string
		for _, name := range strings.Fields(test.files) {
			files = append(files, filepath.Join(dir, name))
		}
		sets, err := Open(files)
		if test.want == "" && (err != nil || sets["a"] == nil) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, %v, want %q", test.files, sets, err, test.want)
		}
	}
}
