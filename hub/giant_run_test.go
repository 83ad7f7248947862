package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// A weighedStore is a store in memory that counts the bytes written beside groups, and
// refuses states above half a megabyte.
type weighedStore struct {
	*queue.Memory
	states, log atomic.Int64
}

func (s *weighedStore) SetStates(ctx context.Context, list []queue.State) error {
	for _, one := range list {
		s.states.Add(int64(len(one.Key) + len(one.Value)))
	}
	return s.Memory.SetStates(ctx, list)
}

func (s *weighedStore) Append(ctx context.Context, record []byte) error {
	s.log.Add(int64(len(record)))
	return s.Memory.Append(ctx, record)
}

// TestGiantBatch hands out a batch of many groups with less memory than they take, in both
// forms and across a restart, and acknowledges it.
func TestGiantBatch(t *testing.T) {
	const many, memory = giantGroups, int64(giantMemory)
	store := &weighedStore{Memory: queue.NewMemory()}
	f := newFixture(t, store, Config{Settings: Settings{MaxBatch: many}, Web: web.Settings{Memory: memory}})
	f.register(many, 0)
	for first := 0; first < many; first += queue.MaxPutAll {
		list := make([]string, queue.MaxPutAll)
		for i := range list {
			list[i] = group(first+i+1, 1, -1)
		}
		if w := f.do("POST", "/scored_data_list", "["+strings.Join(list, ",")+"]"); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	store.states.Store(0)
	number, ids := f.take("trainer=a")
	if words := strings.Fields(ids); len(words) != many || words[0] != "1" || words[many-1] != fmt.Sprint(many) {
		t.Fatalf("batch %s has %d groups", number, len(words))
	}
	if n := store.states.Load(); n > 2000 {
		t.Errorf("forming it wrote %d bytes", n)
	}
	f.restart()
	if w := f.do("POST", mainPath+"/batches?trainer=b", ""); w.Code != http.StatusNoContent {
		t.Errorf("another trainer: %d %.200s", w.Code, w.Body)
	}
	w := f.do("POST", mainPath+"/batches?trainer=a", "")
	frames, err := groupform.SplitFrames(w.Body.Bytes(), many)
	if w.Code != http.StatusOK || err != nil || len(frames) != many || w.Header().Get(headerGroups) != fmt.Sprint(many) {
		t.Errorf("in the binary form: %d, %d groups, %v", w.Code, len(frames), err)
	}
	f.tell(number, "ack?trainer=a", http.StatusOK)
	if st := f.run.Stats(); st.Queue.Known != 0 || st.Queue.Waiting.Groups+st.Queue.Leased.Groups != 0 || st.Open != 0 {
		t.Errorf("%+v are left", st)
	}
}

// TestScatteredBatch stores a batch with scattered numbers in parts, and deletes them after
// its acknowledgement.
func TestScatteredBatch(t *testing.T) {
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	d := &batch{}
	for i := range 2*partGroups + 1 {
		d.seqs = append(d.seqs, uint64(1e15)+uint64(i%2)*1e12+uint64(i*3))
	}
	b := &batches{queue: q}
	if err := b.save(t.Context(), 7, []*batch{d}); err != nil {
		t.Fatal(err)
	}
	again := &batches{queue: q}
	found, err := again.read(t.Context())
	if err != nil || len(found) != 1 || !slices.Equal(found[1].seqs, d.seqs) || again.step != 7 {
		t.Fatalf("%d batches at step %d, %v", len(found), again.step, err)
	}
	if err := q.SetState(t.Context(), partKey(1, 1), nil); err != nil {
		t.Fatal(err)
	}
	again = &batches{queue: q}
	if found, err := again.read(t.Context()); err != nil || len(found) != 0 || len(again.past) != 2 {
		t.Errorf("a part is missing: %d batches, %d records to forget, %v", len(found), len(again.past), err)
	}
	if err := again.save(t.Context(), 7, nil); err != nil {
		t.Fatal(err)
	}
	if list, err := q.States(t.Context(), batchPrefix); err != nil || len(list) != 0 {
		t.Errorf("%d records are left, %v", len(list), err)
	}
}

// TestManyHeldGroups holds groups of fifty environments: the writes of a post do not grow
// with them.
func TestManyHeldGroups(t *testing.T) {
	const envs, each = 50, 60
	store := &weighedStore{Memory: queue.NewMemory()}
	f := newFixture(t, store, Config{})
	f.begin(64)
	for range envs {
		f.env(128, "null")
	}
	store.states.Store(0)
	for i := range envs * each {
		name := fmt.Sprintf("Idempotency-Key: %0200d", i)
		w := f.do("POST", "/scored_data", group(i+1, 1, i%envs), name)
		if want := fmt.Sprintf(`{"status":"buffered","buffer_size":%d}`, i/envs+1); w.Body.String() != want {
			t.Fatalf("post %d: %d %s, want %s", i, w.Code, w.Body, want)
		}
	}
	if n := store.states.Load() + store.log.Load(); n > 0 {
		t.Errorf("%d bytes were written beside the groups", n)
	}
	for range 2 {
		if st := f.run.Stats(); st.Held != envs*each {
			t.Errorf("%d are held, want %d", st.Held, envs*each)
		}
		f.restart()
	}
	for i := range 128 - each {
		f.do("POST", "/scored_data", group(9000+i, 1, 7))
	}
	if st := f.run.Stats(); st.Held != envs*each-each {
		t.Errorf("%d are held after those of one environment made up its group size, want %d", st.Held, envs*each-each)
	}
	f.restart()
	ids := strings.Fields(f.batch())
	if len(ids) != 64 || ids[0] != "8" {
		t.Errorf("%d groups came, the first %v", len(ids), ids[:1])
	}
}

// TestManyEnvs registers more environments than fit one record.
func TestManyEnvs(t *testing.T) {
	const many = 4000
	store := &weighedStore{Memory: queue.NewMemory()}
	f := newFixture(t, store, Config{Settings: Settings{MaxEnvs: many}})
	f.begin(4)
	store.states.Store(0)
	for range many {
		f.env(4, "null")
	}
	if n := store.states.Load() / many; n > 300 {
		t.Errorf("a registration writes %d bytes", n)
	}
	if w := f.do("POST", "/register-env", envBody); w.Code != http.StatusConflict || !json.Valid(w.Body.Bytes()) {
		t.Errorf("one too many: %d %s", w.Code, w.Body)
	}
	f.restart()
	if st := f.run.Stats(); st.Envs != many || st.Connected != many {
		t.Errorf("%d environments, %d connected", st.Envs, st.Connected)
	}
	f.want("POST", "/disconnect-env", fmt.Sprintf(`{"env_id":%d}`, many-2), `{"status":"success"}`)
	f.env(4, "null") // takes the place of one that left
	f.want("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, many),
		`{"current_step":0,"queue_size":0,"unallocated_fraction":1.0,"self_queue_size":0,"max_group_size":1,"env_weight":0.01}`)
	if w := f.do("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, many-2)); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a client of the one that has left: %d %s", w.Code, w.Body)
	}
}
