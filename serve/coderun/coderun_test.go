package coderun

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
)

// A box is a sandbox that does what a test wants.
type box struct {
	lacks []string
	run   func(ctx context.Context, job sandbox.Job) (sandbox.Result, error)
}

func (b box) Probe(context.Context) (sandbox.Strength, error) {
	return sandbox.Strength{Lacks: b.lacks}, nil
}

func (b box) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	return b.run(ctx, job)
}

// post sends a body to a server over a sandbox.
func post(t testing.TB, b sandbox.Sandbox, path, body string) (status int, answer string) {
	t.Helper()
	return ask(t, &Server{Box: b}, path, body)
}

// ask sends a body to a server.
func ask(t testing.TB, s *Server, path, body string) (status int, answer string) {
	t.Helper()
	w, err := web.New(web.Config{Settings: web.Default(), Name: "test", Routes: s.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	defer server.Close()
	r, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func ends(r sandbox.Result, err error) box {
	return box{run: func(context.Context, sandbox.Job) (sandbox.Result, error) { return r, err }}
}

func TestRunCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		box    sandbox.Sandbox
		body   string
		status int
		want   string
		why    string
	}{
		{ends(sandbox.Result{End: sandbox.Exited, Stdout: []byte("hi\n")}, nil), `{"code":"x","language":"python"}`, 200, `"status":"Success","message":"","compile_result":null,"run_result":{"status":"Finished","execution_time":0,"return_code":0,"stdout":"hi\n","stderr":""}`, "a program that ends well"},
		{ends(sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("\xff")}, nil), `{"code":"x","language":"python"}`, 200, `"status":"Failed"`, "a program that fails"},
		{ends(sandbox.Result{End: sandbox.CPULimit}, nil), `{"code":"x","language":"python"}`, 200, `"TimeLimitExceeded","execution_time":0,"return_code":null`, "a program that takes too long"},
		{ends(sandbox.Result{End: sandbox.Signalled, Code: 11}, nil), `{"code":"x","language":"python"}`, 200, `"return_code":-11`, "as the shell of Python says it"},
		{ends(sandbox.Result{End: sandbox.MemoryLimit}, nil), `{"code":"x","language":"python"}`, 200, `memory_limit`, "the client learns the limit"},
		{ends(sandbox.Result{End: sandbox.Exited, Fetched: map[string][]byte{"a.txt": []byte("b")}}, nil), `{"code":"x","language":"python","fetch_files":["a.txt"]}`, 200, `"files":{"a.txt":"Yg=="}`, "files come back as base64"},
		{ends(sandbox.Result{}, errors.New("no room on the disk")), `{"code":"x","language":"python"}`, 503, "no room", "a fault of the machine is no failed program"},
		{ends(sandbox.Result{}, fmt.Errorf("a server: %w", sandbox.ErrBusy)), `{"code":"x","language":"python"}`, 504, "too much to do", "nor is one that comes too early"},
		{ends(sandbox.Result{End: sandbox.Refused, Why: "a name with .."}, nil), `{"code":"x","language":"python","files":{"../a":"Yg=="}}`, 422, "../a", "the request is at fault"},
		{box{lacks: []string{"no network"}}, `{"code":"x","language":"python"}`, 503, "lacks no network", "a weak sandbox runs nothing"},
		{ends(sandbox.Result{}, nil), `{"code":"x","language":"cobol"}`, 400, "want one of python", "the client learns the languages"},
		{ends(sandbox.Result{}, nil), `{"code":"x","language":"python","run_timeout":-1}`, 422, "run_timeout: is -1", "a time must be one"},
		{ends(sandbox.Result{}, nil), `{"code":"x","language":"python","files":{"a":"?"}}`, 422, "files:", "files must be base64"},
		{ends(sandbox.Result{}, nil), `{"code":`, 422, "", "no JSON"},
		{ends(sandbox.Result{End: sandbox.Exited}, nil), `{"language":"python"}`, 422, "code: is missing", "nothing has run well"},
		{ends(sandbox.Result{End: sandbox.Exited}, nil), `{"code":null,"language":"python"}`, 422, "code: is missing", "null is no program"},
		{ends(sandbox.Result{End: sandbox.Exited}, nil), `{"code":"","language":"python"}`, 200, `"Success"`, "an empty program is one"},
	} {
		status, answer := post(t, test.box, "/run_code", test.body)
		if status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %s gives %d %s, want %d %s", test.why, test.body, status, answer, test.status, test.want)
		}
	}
}

// A job gets what its request says.
func TestRunCodeMakesTheJob(t *testing.T) {
	t.Parallel()
	var got sandbox.Job
	b := box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
		got = job
		return sandbox.Result{End: sandbox.Exited}, nil
	}}
	body := fmt.Sprintf(`{"code":"import helper","language":"python","stdin":"in","run_timeout":2.5,"memory_limit_MB":64,"files":{"helper.py":%q,"none":null}}`, base64.StdEncoding.EncodeToString([]byte("x = 1")))
	if status, answer := post(t, b, "/run_code", body); status != 200 {
		t.Fatal(status, answer)
	}
	if got.Limits.CPU != 2500*time.Millisecond || got.Limits.Wall != got.Limits.CPU || got.Limits.Memory != 64<<20 || string(got.Stdin) != "in" ||
		len(got.Files) != 2 || string(got.Files["helper.py"]) != "x = 1" || strings.Contains(strings.Join(got.Argv, " "), "-I") {
		t.Errorf("the job is %+v", got)
	}
}

// While all slots are busy a program waits, and then its client is told to come again.
func TestABusyMachineAnswers504(t *testing.T) {
	t.Parallel()
	if got := refusal(fmt.Errorf("a job: %w", errLate)).(*web.Error).Status; got != http.StatusGatewayTimeout {
		t.Errorf("status %d", got)
	}
	b := box{run: func(ctx context.Context, _ sandbox.Job) (sandbox.Result, error) {
		return sandbox.Result{}, fmt.Errorf("a slot: %w", errLate)
	}}
	if status, answer := post(t, b, "/run_code", `{"code":"x","language":"python"}`); status != http.StatusGatewayTimeout {
		t.Errorf("%d %s", status, answer)
	}
}

// A program that had too little of the processor has more time on the wall, and no more of the processor.
func TestAStarvedProgramRunsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var walls []time.Duration
		var others sync.WaitGroup
		s := &Server{}
		request := func(stdin string) runRequest {
			second := 1.0
			return runRequest{Code: new("x"), Language: "python", Stdin: &stdin, CompileTimeout: &second, RunTimeout: &second}
		}
		s.Box = box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
			if string(job.Stdin) == "other" {
				time.Sleep(time.Second)
				return sandbox.Result{End: sandbox.Exited}, nil
			}
			if walls = append(walls, job.Limits.Wall); len(walls) > 1 {
				return sandbox.Result{End: sandbox.CPULimit, CPU: job.Limits.CPU}, nil
			}
			for range runtime.NumCPU() { // one of them waits for our slot
				others.Go(func() {
					if _, err := s.run(t.Context(), request("other")); err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			return sandbox.Result{End: sandbox.WallLimit, Wall: job.Limits.Wall}, nil
		}}
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
		a, err := s.run(t.Context(), request("starved"))
		others.Wait()
		if err != nil || a.RunResult.Status != "TimeLimitExceeded" || len(walls) != 2 || walls[0] != time.Second || walls[1] != 9*time.Second {
			t.Errorf("%+v, %v, walls %v", a, err, walls)
		}
	})
}

func TestAStarvedCompilerRunsAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		second sandbox.End
		status int
		want   string
	}{
		{sandbox.CPULimit, 200, `"compile_result":{"status":"TimeLimitExceeded"`},
		{sandbox.WallLimit, 504, "overloaded"},
	} {
		var walls []time.Duration
		b := box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
			if walls = append(walls, job.Limits.Wall); len(walls) == 1 {
				return sandbox.Result{End: sandbox.WallLimit}, nil
			}
			return sandbox.Result{End: test.second}, nil
		}}
		status, answer := post(t, b, "/run_code", `{"code":"x","language":"cpp"}`)
		if status != test.status || !strings.Contains(answer, test.want) || len(walls) != 2 || walls[0] != 10*time.Second || walls[1] < 25*time.Second {
			t.Errorf("%d %s, walls %v, want %d %s", status, answer, walls, test.status, test.want)
		}
	}
}

func TestGrade(t *testing.T) {
	t.Parallel()
	echo := box{run: func(_ context.Context, job sandbox.Job) (sandbox.Result, error) {
		return sandbox.Result{End: sandbox.Exited, Stdout: job.Stdin}, nil
	}}
	tests := `{"language":"python","kind":"stdin","cases":[{"input":"1","output":"1"},{"input":"2","output":"3"}],"scoring":"share"}`
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"tests":` + tests + `,"code":"x"}`, 200, `"score":0.5`},
		{`{"tests":` + tests + `,"reply":"` + "```python\\nx\\n```" + `"}`, 200, `"score":0.5`},
		{`{"tests":` + tests + `,"reply":"I do not know."}`, 200, `"reason":"no_code"`},
		{`{"tests":` + tests + `}`, 422, "want either"},
		{`{"tests":{"language":"python","kind":"stdin"},"code":"x"}`, 422, "tests are broken"},
	} {
		status, answer := post(t, echo, "/v1/code/grade", test.body)
		if status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%s gives %d %s, want %d %s", test.body, status, answer, test.status, test.want)
		}
		if status == 200 && !json.Valid([]byte(answer)) {
			t.Errorf("%s gives %s", test.body, answer)
		}
	}
}
