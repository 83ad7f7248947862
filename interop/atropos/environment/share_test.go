package environment

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// size is the number of rows of the file.
const size = 60

// fileStreams returns the stream of a file.
func fileStreams(t *testing.T) []rollout.Stream {
	t.Helper()
	path := filepath.Join(t.TempDir(), "problems.jsonl")
	var text strings.Builder
	for i := range size {
		fmt.Fprintf(&text, `{"question":"What is %d + 1?","answer":"%d"}`+"\n", i, i+1)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := dataset.OpenRows(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	set, err := dataset.Open(file, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		t.Fatal(err)
	}
	of := catalog.DefaultScenario()
	played, err := of.Over(set)
	if err != nil {
		t.Fatal(err)
	}
	return []rollout.Stream{{Scenario: played, Seed: 3, Weight: 1}}
}

// openQueue opens the queue of a store, until it is closed.
func openQueue(t *testing.T, store queue.Store) *queue.Queue {
	t.Helper()
	q, err := queue.Open(t.Context(), store, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// A sharer is an environment that draws problems, and its record.
type sharer struct {
	queue *queue.Queue
	link  *Link
	mix   *rollout.Mix
}

// begin starts the environment, at the record of an earlier process.
func (s *sharer) begin(t *testing.T, url string, of []rollout.Stream, record []byte) {
	t.Helper()
	c := Uplink(Default())
	c.URL, c.RunID = url, func() string { return "" }
	var err error
	if s.link, err = Register(t.Context(), s.queue, c); err != nil || !s.link.Shares() {
		t.Fatalf("the hub deals out no problems: error %v", err)
	}
	if s.mix, err = rollout.NewMix(of); err != nil {
		t.Fatal(err)
	}
	s.mix.Share()
	if record == nil {
		return
	}
	if err := s.mix.UnmarshalJSON(record); err != nil {
		t.Fatal(err)
	}
}

// draw returns the index of the next problem, and its text.
func (s *sharer) draw(t *testing.T) (int, string) {
	t.Helper()
	for {
		if wants := s.mix.Wants(); len(wants) > 0 {
			blocks, err := s.link.Allocate(t.Context(), wants)
			if err == nil {
				err = s.mix.Give(wants[0].Stream, blocks[0])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		job, err := s.mix.Next()
		if errors.Is(err, rollout.ErrNoShare) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s.mix.Done(job, nil)
		return job.Problem.Index, job.Problem.Prompt
	}
}

// Environments with one file of problems go through it together: each row comes once in an
// epoch, also after an environment, whose last block was lost with its record, and the hub
// were started again.
func TestFileShared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	store := queue.NewMemory()
	var handler http.Handler
	startHub := func() *queue.Queue {
		q := openQueue(t, store)
		s, err := hub.New(hub.Config{Queue: q})
		if err != nil {
			t.Fatal(err)
		}
		handler = s.Handler()
		return q
	}
	q := startHub()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer server.Close()
	for _, request := range []string{"POST /register", "GET /batch"} {
		method, path, _ := strings.Cut(request, " ")
		ask, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(
			`{"wandb_group":"g","wandb_project":"p","batch_size":64,"max_token_len":9000,"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":9}`))
		if err != nil {
			t.Fatal(err)
		}
		ask.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(ask)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(reply.Body); reply.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", request, reply.StatusCode, text)
		}
		reply.Body.Close()
	}
	streams := fileStreams(t)
	envs := make([]sharer, 3)
	for i := range envs {
		envs[i].queue = openQueue(t, queue.NewMemory())
		envs[i].begin(t, server.URL, streams, nil)
	}
	rows := make([]map[string]bool, 3) // those drawn in each epoch
	for epoch := range rows {
		rows[epoch] = map[string]bool{}
	}
	lost := false
	for drawn := 0; len(rows[0])+len(rows[1]) < 2*size; drawn++ {
		at := &envs[r.IntN(len(envs))]
		record, err := at.mix.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if wants := at.mix.Wants(); drawn > 30 && !lost && len(wants) > 0 { // it takes a block that its record does not have
			if _, err := at.link.Allocate(t.Context(), wants); err != nil {
				t.Fatal(err)
			}
			at.begin(t, server.URL, streams, record)
			lost = true
		}
		if drawn == 50 {
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
			q = startHub()
		}
		index, row := at.draw(t)
		if rows[index/size][row] {
			t.Fatalf("epoch %d: %q came again", index/size, row)
		}
		rows[index/size][row] = true
	}
	if !lost {
		t.Error("no block was lost")
	}
	for i := range envs {
		if err := envs[i].queue.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}
