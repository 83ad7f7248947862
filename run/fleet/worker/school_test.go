package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/words"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A school is a run that trains the embedded model, by workers over HTTP, or by itself.
type school struct {
	t       testing.TB
	config  run.Config
	leases  *fleet.Coordinator
	opens   chan struct{} // closed just before the coordinator grants
	open1   sync.Once     // closes it
	address string        // of the coordinator

	mu    sync.Mutex
	files map[int][]byte // weights of each version
	seen  func(e run.Event)
}

// newSchool returns a school with groups of eight.
func newSchool(t testing.TB, batch, maxLag int) *school {
	t.Helper()
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	of := run.Defaults()
	of.GroupSize, of.BatchSize, of.MaxLag, of.Parallel = 8, batch, maxLag, 32
	rules := rollout.DefaultRules()
	rules.MinTrainable = 1
	s := &school{t: t, files: map[int][]byte{}, opens: make(chan struct{})}
	s.config = run.Config{
		Settings: of, Rules: rules, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 24},
		Streams: []rollout.Stream{spelling(t)}, Queue: q, Sinks: []run.Sink{s},
	}
	return s
}

// spelling returns a stream that the embedded model can learn.
func spelling(t testing.TB) rollout.Stream {
	t.Helper()
	tasks, err := task.NewSet(words.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	of, err := tasks.Get("spell_backward")
	if err == nil {
		of, err = of.With([]byte(`{"min_word_len":3,"max_word_len":4}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	how, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	s, err := how.Over(of, []byte(`{"short_prompts":true}`))
	if err != nil {
		t.Fatal(err)
	}
	return rollout.Stream{Scenario: s, Seed: 1, Weight: 1}
}

// Note implements [run.Sink].
func (s *school) Note(e run.Event) error {
	if s.seen != nil {
		s.seen(e)
	}
	return nil
}

// share keeps the weights of a version.
func (s *school) share(version int, file []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[version] = file
}

// model returns the model of a version.
func (s *school) model(version int) *transformer.Model {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	m, of, err := tiny.ReadVersion(s.files[version], nil)
	if err != nil || int(of) != version {
		s.t.Fatalf("weights of version %d: version %d, error %v", version, of, err)
	}
	return m
}

// open opens the run, with a coordinator if workers play.
func (s *school) open(workers int) *run.Run {
	s.t.Helper()
	folder, err := datadir.Open(s.t.TempDir(), "test")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { folder.Close() })
	share := s.share
	if workers > 0 {
		digest, err := fleet.Digest(s.config.Streams)
		if err != nil {
			s.t.Fatal(err)
		}
		s.leases = fleet.New(fleet.Config{
			Settings: fleet.Defaults(), Play: fleet.Play{Program: "quintain 1", Tasks: digest}, Weights: fleet.NewWeights(), GroupSize: s.config.Settings.GroupSize,
			Labels: rollout.Labels(s.config.Streams),
		})
		share = func(version int, file []byte) {
			s.share(version, file)
			s.leases.Publish()(version, file)
		}
		s.lend()
	}
	of, sizes := player.Default(player.Tiny), starter.DefaultSizes()
	training := player.Training{Folder: folder, Sizes: sizes.Config(), Learn: tiny.Default(), Share: share}
	training.Learn.LearningRate = 0.002 // so that each version differs much from the one before
	if _, err := of.Train(s.t.Context(), &s.config, training); err != nil {
		s.t.Fatal(err)
	}
	r, err := run.Open(s.t.Context(), s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// lend has workers play the run, and hold its evaluations.
func (s *school) lend() {
	s.leases.Join(&s.config)
	opens := func() { s.open1.Do(func() { close(s.opens) }) }
	play, examine := s.config.Players.Play, s.config.Players.Examine
	s.config.Players.Play = func(ctx context.Context, t *run.Table) error {
		opens()
		return play(ctx, t)
	}
	s.config.Players.Examine = func(ctx context.Context, job rollout.Job, size int) (rollout.Result, bool) {
		opens()
		return examine(ctx, job, size)
	}
	s.config.Beside = append(s.config.Beside, s.leases.Around(func(ctx context.Context) error { <-ctx.Done(); return nil }))
}

// train runs the run until ctx ends or its steps are made.
func (s *school) train(ctx context.Context, workers int) run.Report {
	s.t.Helper()
	r := s.open(workers)
	if workers == 0 {
		if err := r.Run(ctx); err != nil {
			s.t.Fatal(err)
		}
		return r.Report()
	}
	server, err := web.New(web.Config{Routes: s.leases.Routes()})
	if err != nil {
		s.t.Fatal(err)
	}
	addr, _ := webtest.Serve(s.t, server)
	s.address = "http://" + addr
	playing, stop := context.WithCancel(ctx)
	running, end := context.WithCancel(s.t.Context())
	var all, over sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			<-s.opens // earlier workers would try again within two seconds
			if err := s.play(playing, i); err != nil {
				s.t.Error(err)
				stop()
				end() // it would wait for ever
			}
		})
	}
	over.Go(func() {
		if all.Wait(); s.config.Settings.Steps == 0 {
			end()
		}
	})
	if err := r.Run(running); err != nil {
		s.t.Error(err)
	}
	stop()
	over.Wait()
	return r.Report()
}

// play is a worker.
func (s *school) play(ctx context.Context, number int) error {
	of, cut := worker.Defaults(), make(chan struct{})
	of.Coordinator, of.Name = s.address, fmt.Sprint("w", number)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := worker.NewClient(of, "", transport)
	if err != nil {
		return err
	}
	plays := player.Default(player.Tiny)
	plays.Sampling = s.config.Sampling
	defer context.AfterFunc(ctx, func() { close(cut) })()
	w, err := worker.New(ctx, worker.Config{
		Settings: of, Client: client, Play: fleet.Play{Program: "quintain 1"}, Program: "quintain 1", Streams: s.config.Streams,
		Run: s.config.Settings, Player: &plays, Cut: cut, Say: func(string, ...any) {},
	})
	if err == nil {
		err = w.Work(ctx)
	}
	return worker.Ended(ctx, err)
}

// One group at a time, each by weights without delay: which process plays it makes no difference
// to a single bit of the model, and who examines it to none of its scores.
func TestWorkersTrainTheSameModel(t *testing.T) {
	const steps = 12
	alone, together := newSchool(t, 8, 0), newSchool(t, 8, 0)
	for _, s := range []*school{alone, together} {
		s.config.Settings.Steps, s.config.Settings.ExamProblems = steps, 64
	}
	first, second := alone.train(t.Context(), 0), together.train(t.Context(), 4)
	if first.Version != steps || second.Version != steps || second.GroupsDropped[rollout.DropStale] > 0 {
		t.Errorf("reports %+v and %+v", first, second)
	}
	if first.ExamAfter == nil || second.ExamAfter == nil || *first.ExamBefore != *second.ExamBefore || *first.ExamAfter != *second.ExamAfter {
		t.Errorf("the evaluations of one process are %v and %v, those with workers %v and %v", first.ExamBefore, first.ExamAfter, second.ExamBefore, second.ExamAfter)
	}
	for v := range steps + 1 {
		if !bytes.Equal(alone.files[v], together.files[v]) {
			t.Fatalf("the weights of version %d differ", v)
		}
	}
	if least := steps + 2*64; together.leases.Roster().Granted < least {
		t.Errorf("the workers got %d leases, want %d: of groups and both evaluations", together.leases.Roster().Granted, least)
	}
	if slices.Equal(alone.model(0).Params(), alone.model(steps).Params()) {
		t.Error("nothing is trained")
	}
}

// Each token is labelled with the version that sampled it: a forward pass with those weights gives
// its log-probability.
func TestWorkersLabelTokensWithTheirVersion(t *testing.T) {
	s := newSchool(t, 32, 4)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var played []quintain.Trajectory
	s.seen = func(e run.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case run.Played:
			played = append(played, e.Trajectories...)
		case run.Stepped:
			if e.Version >= 8 && s.allPlayed(4) {
				stop()
			}
		}
	}
	s.train(ctx, 4)
	versions, passes := map[int32]int{}, map[int32]*transformer.Pass{}
	for _, e := range played {
		if !e.Outcome.Rewarded() {
			continue
		}
		if len(e.Turns) != 1 || len(e.Turns[0].Versions) == 0 {
			t.Fatalf("episode %+v", e)
		}
		all := e.Turns[0].Versions
		if versions[all[0]]++; versions[all[0]] <= 16 || all[0] != all[len(all)-1] {
			s.check(passes, &e.Turns[0])
		}
	}
	t.Logf("%d episodes; by the version of their first token: %v", len(played), versions)
	if len(versions) < 4 {
		t.Error("too few versions were sampled with")
	}
}

// allPlayed reports whether n workers have played.
func (s *school) allPlayed(n int) bool {
	reply, err := http.Get(s.address + strings.Replace(fleet.PathWorkers, "{run}", "default", 1))
	if err != nil {
		s.t.Error(err)
		return true
	}
	defer reply.Body.Close()
	var r fleet.Roster
	text, err := io.ReadAll(reply.Body)
	if err == nil {
		err = strictjson.Unmarshal(text, &r)
	}
	if err != nil {
		s.t.Error(err)
		return true
	}
	return len(r.Workers) == n && !slices.ContainsFunc(r.Workers, func(w fleet.Worker) bool { return w.Groups == 0 })
}

// check compares the log-probabilities of a turn with those of the labelled weights.
func (s *school) check(passes map[int32]*transformer.Pass, turn *quintain.Turn) {
	s.t.Helper()
	var all []int32
	for _, list := range [][]quintain.Token{turn.Read, turn.Wrote} {
		for _, token := range list {
			all = append(all, int32(token))
		}
	}
	byVersion := map[int32][]float32{}
	for i, v := range turn.Versions {
		if byVersion[v] == nil {
			if passes[v] == nil {
				passes[v] = transformer.NewPass(s.model(int(v)))
			}
			scores, err := passes[v].Forward([][]int32{all}, nil)
			if err != nil {
				s.t.Fatal(err)
			}
			byVersion[v] = slices.Clone(scores.LogProbs[0][len(turn.Read):])
		}
		if want := byVersion[v][i]; !(math.Abs(float64(turn.LogProbs[i]-want)) <= 1e-4) {
			s.t.Fatalf("token %d, labelled with version %d: log-probability %v, and those weights give %v", i, v, turn.LogProbs[i], want)
		}
	}
}
