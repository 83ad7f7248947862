package hub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// zipped is gzip of a text repeated up to a size, between a prefix and a suffix.
func zipped(t *testing.T, before, text, after string, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	piece := strings.Repeat(text, 1<<16/len(text))
	for range size / len(piece) {
		before += piece
		if len(before) > 1<<20 {
			if _, err := io.WriteString(z, before); err != nil {
				t.Fatal(err)
			}
			before = ""
		}
	}
	if _, err := io.WriteString(z, before+after); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileBodies sends small bodies that would take much memory to a hub with little. It
// refuses them, stays within its limit, and goes on.
func TestHostileBodies(t *testing.T) {
	const scale = hostileScale
	memory, n := scale*4<<20, scale<<17
	large, huge := scale*15<<17, scale*25<<20
	f := newFixture(t, nil, Config{Web: web.Settings{Memory: int64(memory)}})
	f.begin(1)
	same := &quintain.Group{Tokens: [][]quintain.Token{make([]quintain.Token, n)}, Masks: [][]int32{make([]int32, n)},
		Scores: []float64{0}, LogProbs: [][]float64{make([]float64, n)}, RefLogProbs: [][]float64{make([]float64, n)}}
	vast, err := groupform.NewCodec(0).Encode(same)
	if err != nil {
		t.Fatal(err)
	}
	packed := []string{"Content-Type: application/json", "Content-Encoding: gzip"}
	group := func(field string) string { return `{"tokens":[[1]],"masks":[[1]],"scores":[1],"` + field + `":` }
	for _, test := range []struct {
		why, path, body string
		headers         []string
	}{
		{"sequences", "/scored_data", zipped(t, `{"tokens":[`, "[],", `[1]],"masks":[],"scores":[]}`, large), packed},
		{"tokens", "/scored_data", zipped(t, `{"tokens":[[`, "1,", `1]],"masks":[[1]],"scores":[1]}`, large), packed},
		{"scores", "/scored_data", zipped(t, `{"tokens":[[1]],"masks":[[1]],"scores":[`, "1,", `1]}`, large), packed},
		{"lists of lists", "/scored_data", zipped(t, group("distill_token_ids")+"[[", "[],", `[]]]}`, large), packed},
		{"lists of numbers", "/scored_data", zipped(t, group("distill_logprobs")+"[", "[[]],", `[]]}`, large), packed},
		{"objects", "/scored_data", zipped(t, group("overrides")+"[", "{},", `{}]}`, large), packed},
		{"groups", "/scored_data_list", zipped(t, "[", group("images")+"1},", group("images")+"1}]", large), packed},
		{"a text", "/scored_data", zipped(t, group("images")+`"`, "a", `"}`, huge), packed},
		{"nothing", "/scored_data", zipped(t, "", " ", "", huge), packed},
		{"a name", "/register", zipped(t, `{"wandb_group":"`, "a", `"}`, large), packed},
		{"the binary form", mainPath + "/groups", string(groupform.AppendFrame(nil, 0, vast)), []string{"Content-Type: " + groupform.Frames}},
	} {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := f.do("POST", test.path, test.body, test.headers...)
		runtime.ReadMemStats(&after)
		if w.Code != http.StatusRequestEntityTooLarge && w.Code != http.StatusUnprocessableEntity || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s, %d bytes: %d %.200s, want 413 or 422", test.why, len(test.body), w.Code, w.Body)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 3*uint64(memory) {
			t.Errorf("%s, %d bytes: %d bytes were allocated", test.why, len(test.body), took)
		}
		f.want("POST", "/scored_data", groupBody, `{"status":"received"}`)
	}
}

const groupBody = `{"tokens":[[1]],"masks":[[1]],"scores":[1]}`

// TestRepliesShareMemory sends batches and groups only while there is memory for the replies.
// An unsent batch is due again.
func TestRepliesShareMemory(t *testing.T) {
	f := newFixture(t, nil, Config{Web: web.Settings{Memory: 2 << 20}})
	f.begin(1)
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte('a' + rand.IntN(26))
	}
	big := fmt.Sprintf(`{"tokens":[[1]],"masks":[[1]],"scores":[1],"images":%q}`, noise)
	for range 9 {
		f.want("POST", "/scored_data", big, `{"status":"received"}`)
	}
	w := f.do("GET", mainPath+"/groups?limit=9", "")
	if n := w.Header().Get(headerGroups); w.Code != 200 || n == "9" || n == "0" || w.Header().Get(headerLast) != n {
		t.Errorf("%d, %s groups up to %s, want some", w.Code, n, w.Header().Get(headerLast))
	}
	f.register(9, 0)
	for _, ask := range []string{"GET /batch", "POST " + mainPath + "/batches"} {
		method, path, _ := strings.Cut(ask, " ")
		if w := f.do(method, path, ""); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", ask, w.Code)
		}
	}
	if open := f.run.batches.list(); len(open) != 1 || open[0].State != "due" {
		t.Errorf("open batches %+v, want one that is due", open)
	}
	f.register(1, 0)
	if w := f.do("GET", "/batch", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), string(noise)) {
		t.Errorf("a smaller batch: %d", w.Code)
	}
}
