package hub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// TestPortions reads some groups during the reply. The reply is the same as if all had been
// read before; one with an unreadable group breaks off.
func TestPortions(t *testing.T) {
	codec := groupform.NewCodec(1 << 30)
	var frames, arrays, list, whole []byte
	var all []queue.Delivery
	list, whole = append(list, `{"batch":[`...), append(whole, `{"batch":[`...)
	for i := range 7 {
		g := queuetest.Group(i)
		body, err := codec.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			list, whole = append(list, ','), append(whole, ',')
		}
		frames, list, whole = groupform.AppendFrame(frames, uint64(i), body), atropos.AppendGroup(list, g), atropos.AppendWhole(whole, g)
		file := groupform.AppendArrays(nil, g)
		arrays = append(groupform.AppendFrameHead(arrays, uint64(i), len(file)), file...)
		all = append(all, queue.Delivery{Entry: queue.Entry{Seq: uint64(i)}, Body: body})
	}
	list, whole = append(list, "]}"...), append(whole, "]}"...)
	bad := queue.Delivery{Entry: queue.Entry{Seq: 7}, Body: []byte("no group")}

	for _, test := range []struct {
		why   string
		write func(*replyWriter, *web.Call, *replyGroups) error
		whole string // the reply, if all groups can be read
	}{
		{"binary", (*replyWriter).Binary, string(frames)},
		{"as arrays", (*replyWriter).Arrays, string(arrays)},
		{"as Atropos", (*replyWriter).JSON, string(list)},
		{"all that is known", (*replyWriter).Whole, string(whole)},
	} {
		for _, portion := range []int{1, 3, 7} {
			if got, err := serve(t, test.write, all, portion); got != test.whole || err != nil {
				t.Errorf("%s, %d at a time: error %v, %d bytes, want %d", test.why, portion, err, len(got), len(test.whole))
			}
			got, err := serve(t, test.write, append(all[:7:7], bad), portion)
			if _, ok := errors.AsType[*queue.CorruptError](err); !ok || got == test.whole {
				t.Errorf("%s, %d at a time, one of them damaged: error %v", test.why, portion, err)
			}
		}
	}
}

// serve replies with groups in portions, and returns the client's copy.
func serve(t *testing.T, write func(*replyWriter, *web.Call, *replyGroups) error, groups []queue.Delivery, portion int) (body string, err error) {
	t.Helper()
	var w *replyWriter
	s, fault := web.New(web.Config{Name: "test", Routes: []web.Route{{Method: "GET", Path: "/", Serve: func(c *web.Call) error {
		var rest []uint64
		for _, d := range groups[portion:] {
			rest = append(rest, d.Seq)
		}
		err = write(w, c, &replyGroups{Now: copyOf(groups[:portion]), Rest: rest, Read: func(_ context.Context, seqs []uint64) ([]queue.Delivery, error) {
			return copyOf(groups[seqs[0]:min(int(seqs[0])+portion, len(groups))]), nil
		}})
		if err != nil {
			panic(http.ErrAbortHandler) // as the hub does
		}
		return nil
	}}}})
	if fault != nil {
		t.Fatal(fault)
	}
	w = newReplyWriter(groupform.NewCodec(1<<30), s)
	server := httptest.NewServer(s)
	defer server.Close()
	got, fault := server.Client().Get(server.URL)
	if fault != nil {
		return "", err
	}
	defer got.Body.Close()
	text, fault := io.ReadAll(got.Body)
	if fault != nil {
		return "", err
	}
	return string(text), err
}

// copyOf copies groups for a reply, which uses them up.
func copyOf(groups []queue.Delivery) []queue.Delivery { return slices.Clone(groups) }
