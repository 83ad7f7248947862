package backend

import (
	"context"
	"crypto/rand"
	_ "embed" // for the launcher
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// launcher is the program that SandboxFusion runs: it sets the limits that it can, and becomes the
// program of the job. So a job needs nothing but the server's Python, whatever its arguments.
//
//go:embed launcher.py
var launcher string

// spare is the factor by which address space, which SandboxFusion limits, may exceed the memory of a
// program: interpreters reserve much that they never use.
const spare = 4

// A fusionRequest is the body of /run_code.
type fusionRequest struct {
	Code     string            `json:"code"`
	Language string            `json:"language"`
	Stdin    string            `json:"stdin"`
	Timeout  float64           `json:"run_timeout"` // seconds
	MemoryMB int64             `json:"memory_limit_MB"`
	Files    map[string]string `json:"files"` // base64
	Fetch    []string          `json:"fetch_files"`
}

// A fusionAnswer is the answer of /run_code.
type fusionAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Run     *struct {
		Status string   `json:"status"`
		Time   *float64 `json:"execution_time"`
		Code   *int     `json:"return_code"`
		Stdout *string  `json:"stdout"`
		Stderr *string  `json:"stderr"`
	} `json:"run_result"`
	Files map[string]string `json:"files"`
}

// fusionOutput is the most bytes of an output that SandboxFusion keeps. It drops the rest, and does
// not say so.
const fusionOutput = 1 << 20

// fusionRun writes the request for a job. Its error names what SandboxFusion's form cannot carry. If
// the program cannot be started, the launcher writes nonce.
func fusionRun(job sandbox.Job) (q fusionRequest, nonce string, err error) {
	if !utf8.Valid(job.Stdin) {
		return q, "", errors.New("the standard input is not UTF-8, and SandboxFusion takes no other")
	}
	q = fusionRequest{
		Language: "python", Stdin: string(job.Stdin), Timeout: job.Limits.Wall.Seconds(), MemoryMB: max(1, spare*job.Limits.Memory>>20),
		Files: map[string]string{}, Fetch: append([]string{}, job.Fetch...),
	}
	for name, data := range job.Files {
		q.Files[name] = base64.StdEncoding.EncodeToString(data)
	}
	for _, name := range job.Fetch {
		if !utf8.ValidString(name) {
			return q, "", fmt.Errorf("the file name %q is not UTF-8, and SandboxFusion takes no other", name)
		}
	}
	for name := range job.Files {
		if !utf8.ValidString(name) || strings.Contains(name, "IGNORE_THIS_FILE") {
			return q, "", fmt.Errorf("SandboxFusion takes no file of the name %q", name)
		}
	}
	nonce = rand.Text()
	form, err := json.Marshal(map[string]any{
		"argv":  bytesOf(job.Argv),
		"nonce": nonce,
		"limits": [][2]any{
			{"RLIMIT_CPU", sandbox.Seconds(job.Limits.CPU)}, {"RLIMIT_FSIZE", job.Limits.FileSize}, {"RLIMIT_NOFILE", job.Limits.Open}, {"RLIMIT_CORE", 0},
		},
		"env": job.Environ("."), // the launcher knows the folder
	})
	q.Code = strings.Replace(launcher, "JOB", base64.StdEncoding.EncodeToString(form), 1)
	return q, nonce, err
}

// bytesOf gives texts the form of base64.
func bytesOf(texts []string) (all [][]byte) {
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// runFusion runs a job on a server of SandboxFusion.
func (s *server) runFusion(ctx context.Context, job sandbox.Job) (result sandbox.Result, err error) {
	if _, own := job.Files[strings.TrimPrefix(job.Argv[0], "./")]; strings.HasPrefix(job.Argv[0], "./") && !own {
		return sandbox.Result{End: sandbox.Refused, Why: job.Argv[0] + ": the job has no such file"}, nil
	}
	q, nonce, err := fusionRun(job)
	if err != nil {
		return result, err
	}
	body, err := json.Marshal(q)
	if err != nil {
		return result, err
	}
	longest := int64(6*2*fusionOutput + most) // each byte of an output may be \u0000
	if len(job.Fetch) > 0 {
		longest += job.Limits.Disk / 3 * 4
	}
	text, err := s.call(ctx, request{http.MethodPost, "/run_code", body, longest})
	if err != nil {
		return result, err
	}
	var a fusionAnswer
	if err := strictjson.Unmarshal(text, &a); err != nil {
		return result, s.fault(fmt.Errorf("/run_code: %w", err))
	}
	if result, err = a.result(job, nonce); err != nil {
		if !errors.Is(err, sandbox.ErrNoProgram) {
			return sandbox.Result{}, s.fault(err)
		}
		return sandbox.Result{}, err
	}
	return result, nil
}

// result is what the answer says about a job. The time on the processor is unknown but for a
// program that the kernel ended at its limit.
func (a *fusionAnswer) result(job sandbox.Job, nonce string) (r sandbox.Result, err error) {
	if a.Run == nil || a.Status != "Success" && a.Status != "Failed" {
		return r, fmt.Errorf("/run_code: %.100q: %.1000s", a.Status, a.Message)
	}
	r = sandbox.Result{CPU: sandbox.Unknown}
	if a.Run.Time != nil {
		r.Wall = time.Duration(*a.Run.Time * float64(time.Second))
	}
	over := false
	for _, one := range []struct {
		to   *[]byte
		from *string
	}{{&r.Stdout, a.Run.Stdout}, {&r.Stderr, a.Run.Stderr}} {
		if one.from == nil {
			continue
		}
		*one.to = []byte(*one.from)
		if len(*one.to) >= fusionOutput && job.Limits.Output > fusionOutput {
			return sandbox.Result{}, fmt.Errorf("SandboxFusion keeps %d bytes of an output, and the limit is %d", fusionOutput, job.Limits.Output)
		}
		over = over || len(*one.to) >= fusionOutput || int64(len(*one.to)) > job.Limits.Output
		*one.to = (*one.to)[:min(int64(len(*one.to)), job.Limits.Output)]
	}
	switch {
	case a.Run.Status == "TimeLimitExceeded":
		r.End = sandbox.WallLimit
	case a.Run.Status != "Finished" || a.Run.Code == nil:
		return sandbox.Result{}, fmt.Errorf("/run_code: the run is %.100q: %.1000s", a.Run.Status, r.Stderr)
	case *a.Run.Code == 127 && strings.HasPrefix(string(r.Stderr), nonce):
		return unstarted(job, strings.TrimSpace(string(r.Stderr[len(nonce):])))
	default:
		r.End, r.Code = sandbox.Exited, *a.Run.Code
	}
	if r.Code < 0 { // as Python tells a signal
		r.End, r.Code = sandbox.EndOf(-r.Code, 0)
	}
	if r.End == sandbox.CPULimit {
		r.CPU = time.Duration(sandbox.Seconds(job.Limits.CPU)) * time.Second
	}
	if over {
		r.End, r.Code = sandbox.OutputLimit, 0
	}
	return r, a.fetch(&r, job)
}

// unstarted tells why a program did not start, by an errno. Only a file of the job is the job's own
// fault.
func unstarted(job sandbox.Job, errno string) (sandbox.Result, error) {
	n, err := strconv.Atoi(errno)
	switch name := job.Argv[0]; {
	case err != nil:
		return sandbox.Result{}, errors.New("the program cannot be started there")
	case strings.HasPrefix(name, "./"):
		return sandbox.Result{End: sandbox.Refused, Why: fmt.Sprintf("%s: %v", name, syscall.Errno(n)), CPU: sandbox.Unknown}, nil
	default:
		return sandbox.Result{}, fmt.Errorf("%s: %w: %w", name, sandbox.ErrNoProgram, syscall.Errno(n))
	}
}

// fetch reads the wanted files of a program that ended by itself.
func (a *fusionAnswer) fetch(r *sandbox.Result, job sandbox.Job) error {
	left := job.Limits.Disk
	for _, name := range job.Fetch {
		text, has := a.Files[name]
		if !has || r.End != sandbox.Exited {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("/run_code: files: %.100q: %w", name, err)
		}
		if int64(len(data)) > left {
			continue
		}
		left -= int64(len(data))
		if r.Fetched == nil {
			r.Fetched = map[string][]byte{}
		}
		r.Fetched[name] = data
	}
	return nil
}
