package catalog_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// pipeServer returns a server of all tasks.
func pipeServer(t testing.TB) pipe.Server {
	t.Helper()
	set, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	replies, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	return pipe.Server{Tasks: set, Replies: replies}
}

// Every task is written as encoding/json writes it.
func TestExportWritesEveryTaskAsEncodingJSON(t *testing.T) {
	quintainForm, err := pipe.FormatOf("quintain")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range catalog.Tasks() {
		for level := range one.Info().Levels {
			d := quintain.Draw{Seed: 3, Level: level}
			var got strings.Builder
			if _, err := (pipe.Export{Task: one, First: d, Count: exported, Format: quintainForm}).Write(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(got.String()) {
				p, err := one.Problem(d)
				if err != nil {
					t.Fatal(err)
				}
				want, err := json.Marshal(p)
				if err != nil || line != string(want)+"\n" {
					t.Errorf("%s is written as\n%s, want\n%s, error %v", p.ID(), line, want, err)
				}
				d.Index++
			}
			if d.Index != exported {
				t.Errorf("%s, level %d: %d problems are written, want %d", one.Info().Name, level, d.Index, exported)
			}
		}
	}
}

// A problem drawn from the same server is graded like one from elsewhere, and so is one
// sent by its number.
func TestServerGradesItsOwnDraws(t *testing.T) {
	var draws, named strings.Builder
	for i, info := range catalog.Tasks() {
		fmt.Fprintf(&draws, `{"draw":{"task":%q,"seed":3}}`+"\n", info.Info().Name)
		fmt.Fprintf(&named, `{"draw":{"task":%q,"seed":3},"as":%d}`+"\n", info.Info().Name, i)
	}
	drawn := answered(t, draws.String())
	if again := answered(t, named.String()); again != drawn {
		t.Error("problems that get a number differ")
	}
	grade := func(item func(i int, problem string) string) (lines string) {
		for i, problem := range strings.Split(strings.TrimSpace(drawn), "\n") {
			one := item(i, problem)
			lines += fmt.Sprintf(`{"problems":[%s,%[1]s,%[1]s,%[1]s],"answers":["1","[[1, 2]]","a\u0301",null]}`+"\n", one)
		}
		return lines
	}
	whole := grade(func(_ int, problem string) string { return problem })
	want := answered(t, whole)
	if got := answered(t, draws.String()+whole); got != drawn+want {
		t.Error("verdicts on problems that were drawn here differ")
	}
	numbers := grade(func(i int, _ string) string { return strconv.Itoa(i) })
	if got := answered(t, named.String()+numbers); got != drawn+want {
		t.Error("verdicts by numbers of draws differ")
	}
	if got := answered(t, grade(func(i int, problem string) string { return fmt.Sprintf("[%d,%s]", i, problem) })+numbers); got != want+want {
		t.Error("verdicts by numbers of problems that came differ")
	}
}

// answered returns the answers of a new server, when each line waits for the one before.
func answered(t *testing.T, lines string) string {
	t.Helper()
	var out strings.Builder
	in, ask := io.Pipe()
	answers, tell := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- pipeServer(t).Serve(t.Context(), in, tell)
		tell.Close()
	}()
	read := bufio.NewReader(answers)
	for line := range strings.Lines(lines) {
		io.WriteString(ask, line)
		answer, err := read.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out.WriteString(answer)
	}
	ask.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return out.String()
}
