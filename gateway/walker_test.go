package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A walker is an agent that does at random whatever agents do.
type walker struct {
	b   *bench
	s   MadeSession
	rnd *rand.Rand

	speaks string // the route of all its calls; empty: any
	counts *int   // if set, it has the tokens of each of its messages counted first, and counts the equal ones

	mu      sync.Mutex
	clock   int
	log     []wire
	threads []thread
}

// A wire is a request and its reply as the client saw them.
type wire struct {
	Route   string           `json:"route"`
	Request json.RawMessage  `json:"request"`
	Retry   bool             `json:"retry"`
	Begun   int              `json:"begun"` // by the walker's clock
	Ended   int              `json:"ended"`
	Whole   bool             `json:"whole"`   // it got all of the reply
	Replies []map[string]any `json:"replies"` // in the form of the route; those of chat: messages

	of thread
}

// A thread is a conversation, whose last message is the assistant's, or a text.
type thread struct {
	texts    []string // by turns of the agent and the model
	messages []map[string]any
	tools    bool
}

// walk makes some steps.
func (w *walker) walk() {
	w.begin()
	for range 1 + w.rnd.IntN(8) {
		switch w.rnd.IntN(12) {
		case 0:
			w.begin()
		case 1:
			w.parallel()
		case 2:
			w.again()
		case 3:
			w.retry()
		case 4:
			w.lose()
		case 5:
			w.several()
		default:
			w.goOn(w.number())
		}
	}
}

func (w *walker) number() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.Uint64()
}

// begin begins a conversation: the first, a sub-agent's, a summary.
func (w *walker) begin() {
	rnd := rand.New(rand.NewPCG(w.number(), 2))
	t := thread{tools: rnd.IntN(2) == 0}
	if w.speaks == byTexts || w.speaks == "" && rnd.IntN(4) == 0 {
		t.texts = []string{fmt.Sprint("begin ", rnd.IntN(20))}
		w.ask(rnd, t, nil)
		return
	}
	if rnd.IntN(2) == 0 {
		t.messages = append(t.messages, message("system", fmt.Sprintf("You help.\nDate: %d\nBe %d.", rnd.IntN(9), rnd.IntN(2))))
	}
	t.messages = append(t.messages, message("user", fmt.Sprint("begin ", rnd.IntN(20))))
	w.ask(rnd, t, nil)
}

func message(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// goOn goes on from some thread: from its end, from an earlier place, or from one that it
// rewrote.
func (w *walker) goOn(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	w.mu.Lock()
	if len(w.threads) == 0 {
		w.mu.Unlock()
		return
	}
	t := w.threads[max(rnd.IntN(len(w.threads)), rnd.IntN(len(w.threads)))]
	w.mu.Unlock()
	if t.texts != nil {
		w.goOnText(rnd, t)
		return
	}
	t.messages = slices.Clone(t.messages)
	if rnd.IntN(5) == 0 { // back
		var places []int
		for i, m := range t.messages {
			if m["role"] == "assistant" {
				places = append(places, i)
			}
		}
		t.messages = t.messages[:places[rnd.IntN(len(places))]+1]
	}
	for i := range t.messages {
		t.messages[i] = rewrite(rnd, t.messages[i])
	}
	if last := t.messages[len(t.messages)-1]; last["tool_calls"] != nil && rnd.IntN(4) > 0 {
		for _, c := range last["tool_calls"].([]any) {
			m := message("tool", fmt.Sprint(rnd.IntN(9)))
			m["tool_call_id"] = c.(map[string]any)["id"]
			t.messages = append(t.messages, m)
		}
	} else {
		t.messages = append(t.messages, message("user", fmt.Sprint("on ", rnd.IntN(30))))
	}
	if rnd.IntN(20) == 0 {
		t.tools = !t.tools
	}
	w.ask(rnd, t, nil)
}

// rewrite makes of a message in the history what clients make of it.
func rewrite(rnd *rand.Rand, m map[string]any) map[string]any {
	m = maps.Clone(m)
	switch m["role"] {
	case "system":
		m["content"] = strings.Replace(m["content"].(string), "Date:", "Date: 1", 1)
		return m
	case "assistant":
	default:
		return m
	}
	if rnd.IntN(3) == 0 {
		delete(m, "reasoning_content")
	}
	if text, ok := m["content"].(string); ok && rnd.IntN(6) == 0 {
		m["content"] = "  " + text + "\n"
	}
	if all, ok := m["tool_calls"].([]any); ok && rnd.IntN(2) == 0 {
		var fresh []any
		for i, c := range all {
			c := maps.Clone(c.(map[string]any))
			f := maps.Clone(c["function"].(map[string]any))
			var v any
			if json.Unmarshal([]byte(f["arguments"].(string)), &v) == nil {
				text, _ := json.MarshalIndent(v, "", " ")
				f["arguments"] = string(text)
			}
			c["function"] = f
			if rnd.IntN(2) == 0 {
				c["id"] = fmt.Sprint("toolu_", i)
			}
			fresh = append(fresh, c)
		}
		m["tool_calls"] = fresh
	}
	if rnd.IntN(40) == 0 {
		m["content"] = fmt.Sprint("rewritten ", rnd.IntN(5))
	}
	return m
}

// parallel makes several steps at once.
func (w *walker) parallel() {
	var all sync.WaitGroup
	for range 2 + w.rnd.IntN(3) {
		seed := w.number()
		all.Go(func() {
			if seed%4 == 0 {
				w.begin()
			} else {
				w.goOn(seed)
			}
		})
	}
	all.Wait()
}

// ask makes a call, and keeps the conversation with the reply.
func (w *walker) ask(rnd *rand.Rand, t thread, more map[string]any) {
	route := w.tongue(rnd, t)
	if more != nil && route != byTexts {
		route = byChat // which alone gives several replies
	}
	body := t.body(rnd, route)
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	if err != nil {
		w.b.t.Error(err)
	}
	counted := w.count(text)
	replies := w.send(wire{Route: route, Request: text, of: t})
	if counted > 0 && len(replies) > 0 && body["stream"] == false {
		if read := replies[0]["usage"].(map[string]any)["input_tokens"]; read != counted {
			w.b.t.Errorf("%v tokens counted, and %v read: %s", counted, read, text)
		}
		*w.counts++
	}
	if len(replies) == 0 || len(replies) > 1 && rnd.IntN(4) == 0 {
		return
	}
	w.keep(t, route, replies[rnd.IntN(len(replies))])
}

// count has the tokens of a request counted; 0: nobody wants that.
func (w *walker) count(body []byte) float64 {
	if w.counts == nil {
		return 0
	}
	text := w.b.want(200, "POST", w.s.Anthropic+"/v1/messages/count_tokens", string(body))
	return parse[map[string]float64](w.b.t, text)["input_tokens"]
}

func (w *walker) keep(t thread, route string, reply map[string]any) {
	if route == byTexts {
		t.texts = append(slices.Clone(t.texts), reply["text"].(string))
	} else {
		t.messages = append(slices.Clone(t.messages), asChat(route, reply))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.threads = append(w.threads, t)
}

// several asks for several replies, and goes on from one at most.
func (w *walker) several() {
	rnd := rand.New(rand.NewPCG(w.number(), 4))
	t := thread{messages: []map[string]any{message("user", fmt.Sprint("several ", rnd.IntN(9)))}}
	if w.speaks == byTexts {
		t = thread{texts: []string{"several"}}
	}
	w.ask(rnd, t, map[string]any{"n": 2 + rnd.IntN(2)})
}

// earlier returns an earlier request, to make it again.
func (w *walker) earlier(retry bool) wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.log[w.rnd.IntN(len(w.log))]
	return wire{Route: old.Route, Request: old.Request, Retry: retry, of: old.of}
}

// again makes an earlier request again, without a mark: another reply comes.
func (w *walker) again() {
	one := w.earlier(false)
	if replies := w.send(one); len(replies) > 0 && w.rnd.IntN(3) > 0 {
		w.keep(one.of, one.Route, replies[0])
	}
}

// retry makes an earlier request again, with a mark: the same reply comes.
func (w *walker) retry() {
	one := w.earlier(true)
	if replies := w.send(one); len(replies) > 0 && w.rnd.IntN(3) == 0 {
		w.keep(one.of, one.Route, replies[0])
	}
}

// lose makes a call, and goes before the reply. Perhaps it asks again.
func (w *walker) lose() {
	t := thread{messages: []map[string]any{message("user", fmt.Sprint("lost ", w.rnd.IntN(9)))}}
	if w.speaks == byTexts {
		t = thread{texts: []string{"lost"}}
	}
	route := w.tongue(w.rnd, t)
	body, err := json.Marshal(t.body(w.rnd, route))
	if err != nil {
		w.b.t.Error(err)
	}
	one := wire{Route: route, Request: body, of: t}
	ctx, leave := context.WithCancel(w.b.t.Context())
	defer leave()
	r := httptest.NewRequestWithContext(ctx, "POST", w.s.OpenAI+"/"+route, bytes.NewReader(body))
	lost := one
	w.begun(func() {
		w.b.serve(gone{httptest.NewRecorder(), leave}, r)
	}, &lost)
	if k := w.rnd.IntN(3); k < 2 {
		one.Retry = k == 0
		w.send(one)
	}
}

// begun does something between two ticks of the clock, and logs it.
func (w *walker) begun(do func(), one *wire) {
	w.mu.Lock()
	w.clock++
	one.Begun = w.clock
	w.mu.Unlock()
	do()
	w.mu.Lock()
	w.clock++
	one.Ended = w.clock
	w.log = append(w.log, *one)
	w.mu.Unlock()
}

// send makes a request, and returns the replies.
func (w *walker) send(one wire) []map[string]any {
	w.begun(func() {
		r, err := http.NewRequestWithContext(w.b.t.Context(), http.MethodPost, w.s.OpenAI+"/"+one.Route, bytes.NewReader(one.Request))
		if err != nil {
			w.b.t.Error(err)
			return
		}
		if one.Retry {
			r.Header.Set("X-Stainless-Retry-Count", strconv.Itoa(1))
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			w.b.t.Error(err)
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(resp.Body)
			w.b.t.Errorf("status %d: %s\n%s", resp.StatusCode, text, one.Request)
			return
		}
		one.Replies, one.Whole = read(resp, one.Route)
		if !one.Whole {
			w.b.t.Error("a reply broke off")
		}
	}, &one)
	return one.Replies
}

// repliesOf reads a reply, whole or streamed.
func repliesOf(resp *http.Response) (all []map[string]any, whole bool) {
	type choice struct {
		Index          int
		Message, Delta map[string]any
	}
	var body struct{ Choices []choice }
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		err := json.NewDecoder(resp.Body).Decode(&body)
		for _, c := range body.Choices {
			all = append(all, c.Message)
		}
		return all, err == nil
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if data == "[DONE]" {
			return all, true
		}
		body.Choices = nil
		if !ok || json.Unmarshal([]byte(data), &body) != nil {
			continue
		}
		for _, c := range body.Choices {
			for len(all) <= c.Index {
				all = append(all, map[string]any{})
			}
			merge(all[c.Index], c.Delta)
		}
	}
	return nil, false
}

// merge adds a delta to a message.
func merge(m, delta map[string]any) {
	for name, v := range delta {
		switch v := v.(type) {
		case string:
			old, _ := m[name].(string)
			if m[name] = old + v; name == "role" || name == "id" || name == "type" {
				m[name] = v
			}
		case map[string]any:
			if m[name] == nil {
				m[name] = map[string]any{}
			}
			merge(m[name].(map[string]any), v)
		case []any:
			list, _ := m[name].([]any)
			for _, one := range v {
				one := one.(map[string]any)
				at := int(one["index"].(float64))
				for len(list) <= at {
					list = append(list, map[string]any{})
				}
				delete(one, "index")
				merge(list[at].(map[string]any), one)
			}
			m[name] = list
		}
	}
}
