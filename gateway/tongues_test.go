package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
)

// The routes by which walkers speak.
const (
	byChat      = "chat/completions"
	byResponses = "responses"
	byMessages  = "messages"
	byTexts     = "completions"
)

// tongue chooses how to speak: as in all of the session, or at random.
func (w *walker) tongue(rnd *rand.Rand, t thread) string {
	switch {
	case t.texts != nil:
		return byTexts
	case w.speaks == "" || w.speaks == byTexts:
		return []string{byChat, byResponses, byMessages}[rnd.IntN(3)]
	}
	return w.speaks
}

// body makes a request of a conversation.
func (t thread) body(rnd *rand.Rand, route string) map[string]any {
	body := map[string]any{"model": "m", "stream": rnd.IntN(3) == 0}
	most, rare := "max_tokens", rnd.IntN(8) == 0
	switch route {
	case byTexts:
		body["prompt"] = strings.Join(t.texts, "")
	case byChat:
		body["messages"] = chatMessages(t.messages)
		if rare {
			body["parallel_tool_calls"] = false
		}
	case byMessages:
		if rare {
			body["tool_choice"] = map[string]any{"type": "auto", "disable_parallel_tool_use": true}
		}
		t.messagesBody(rnd, body)
	case byResponses:
		most = "max_output_tokens"
		if rare {
			body["parallel_tool_calls"] = false
		}
		t.responsesBody(rnd, body)
	}
	if t.tools && route != byTexts {
		body["tools"] = json.RawMessage(map[string]string{
			byChat:      tools,
			byMessages:  `[{"name":"add","description":"","input_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}]`,
			byResponses: `[{"type":"function","strict":false,"name":"add","description":"","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}]`,
		}[route])
	}
	if rnd.IntN(8) == 0 {
		body[most] = 11 + rnd.IntN(20)
	}
	return body
}

// chatMessages leaves out what only the walker knows.
func chatMessages(talk []map[string]any) []map[string]any {
	out := []map[string]any{}
	for _, m := range talk {
		m = maps.Clone(m)
		maps.DeleteFunc(m, func(name string, _ any) bool { return name[0] == '_' })
		out = append(out, m)
	}
	return out
}

// textOrParts is a content, in either form.
func textOrParts(rnd *rand.Rand, kind string, text any) any {
	if rnd.IntN(2) == 0 {
		return text
	}
	return []any{map[string]any{"type": kind, "text": text}}
}

func callsOf(m map[string]any) (all []map[string]any) {
	list, _ := m["tool_calls"].([]any)
	for _, c := range list {
		all = append(all, c.(map[string]any))
	}
	return all
}

// messagesBody writes a conversation for Anthropic's.
func (t thread) messagesBody(rnd *rand.Rand, body map[string]any) {
	var talk []map[string]any
	thinks := rnd.IntN(2) == 0
	if thinks {
		body["thinking"] = map[string]any{"type": "enabled", "budget_tokens": 1024}
	}
	var results []any
	for i, m := range t.messages {
		switch m["role"] {
		case "system":
			body["system"] = textOrParts(rnd, "text", m["content"])
		case "user":
			talk = append(talk, said("user", textOrParts(rnd, "text", m["content"])))
		case "tool":
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": m["tool_call_id"], "content": textOrParts(rnd, "text", m["content"])})
			if i == len(t.messages)-1 || t.messages[i+1]["role"] != "tool" {
				talk = append(talk, said("user", results))
				results = nil
			}
		default:
			talk = append(talk, said("assistant", blocks(m, thinks)))
		}
	}
	body["messages"] = talk
}

func said(role string, content any) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// blocks are a reply as Anthropic's clients send it.
func blocks(m map[string]any, thinks bool) any {
	var all []any
	if thought, _ := m["reasoning_content"].(string); thought != "" && thinks {
		sign, _ := m["_id"].(string)
		all = append(all, map[string]any{"type": "thinking", "thinking": thought, "signature": "rs_" + sign})
	}
	if text, _ := m["content"].(string); text != "" {
		all = append(all, map[string]any{"type": "text", "text": text})
	}
	for _, c := range callsOf(m) {
		f := c["function"].(map[string]any)
		var input map[string]any
		if json.Unmarshal([]byte(f["arguments"].(string)), &input) != nil || input == nil {
			input = map[string]any{"_raw_arguments": f["arguments"]}
		}
		all = append(all, map[string]any{"type": "tool_use", "id": c["id"], "name": f["name"], "input": input})
	}
	if all == nil {
		return ""
	}
	return all
}

// responsesBody writes a conversation for Responses: all of it, or what follows the reply before.
func (t thread) responsesBody(rnd *rand.Rand, body map[string]any) {
	talk := t.messages
	instructs := talk[0]["role"] == "system" && rnd.IntN(2) == 0
	if instructs {
		body["instructions"], talk = talk[0]["content"], talk[1:]
	}
	if rnd.IntN(3) == 0 {
		body["store"] = false
	} else if rnd.IntN(2) == 0 {
		for i, m := range slices.Backward(talk) {
			if m["role"] != "assistant" {
				continue
			}
			if m["_resp"] != nil {
				body["previous_response_id"], talk = m["_resp"], talk[i+1:]
			}
			break
		}
	}
	named, refers := rnd.IntN(2) == 0, rnd.IntN(6) == 0
	input := []any{}
	for _, m := range talk {
		switch m["role"] {
		case "tool":
			input = append(input, map[string]any{"type": "function_call_output", "call_id": m["tool_call_id"], "output": m["content"]})
		case "assistant":
			input = append(input, itemsOf(m, named, refers)...)
		default:
			input = append(input, said(m["role"].(string), textOrParts(rnd, "input_text", m["content"])))
		}
	}
	body["input"] = input
}

// itemsOf are those of a reply, with our ids or without, or a reference to it.
func itemsOf(m map[string]any, named, refers bool) (all []any) {
	id, _ := m["_id"].(string)
	name := func(item map[string]any, prefix string) {
		if named && id != "" {
			item["id"] = prefix + id
		}
		all = append(all, item)
	}
	calls := callsOf(m)
	text, _ := m["content"].(string)
	if refers && id != "" && m["_resp"] != nil && (text != "" || calls == nil) {
		return []any{map[string]any{"type": "item_reference", "id": "msg_" + id}}
	}
	if thought, _ := m["reasoning_content"].(string); thought != "" {
		name(map[string]any{"type": "reasoning", "summary": []any{}, "content": []any{map[string]any{"type": "reasoning_text", "text": thought}}}, "rs_")
	}
	if text != "" || calls == nil {
		name(map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}}, "msg_")
	}
	for _, c := range calls {
		f := c["function"].(map[string]any)
		all = append(all, map[string]any{"type": "function_call", "call_id": c["id"], "name": f["name"], "arguments": f["arguments"]})
	}
	return all
}

// read returns the replies, in their dialect.
func read(resp *http.Response, route string) (all []map[string]any, whole bool) {
	if route == byChat {
		return repliesOf(resp)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return events(resp.Body, route)
	}
	var body map[string]any
	if json.NewDecoder(resp.Body).Decode(&body) != nil {
		return nil, false
	}
	if route != byTexts {
		return []map[string]any{body}, true
	}
	for _, c := range body["choices"].([]any) {
		all = append(all, c.(map[string]any))
	}
	return all, true
}

// events reads a stream to its terminal event.
func events(in io.Reader, route string) (all []map[string]any, whole bool) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var reply map[string]any
	items := []any{}
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return all, true
		}
		var e map[string]any
		if json.Unmarshal([]byte(data), &e) != nil {
			return nil, false
		}
		switch e["type"] {
		case nil:
			if e["error"] != nil {
				return nil, false
			}
			for _, c := range e["choices"].([]any) {
				c := c.(map[string]any)
				for len(all) <= int(c["index"].(float64)) {
					all = append(all, map[string]any{})
				}
				merge(all[int(c["index"].(float64))], map[string]any{"text": c["text"]})
			}
		case "response.output_item.done":
			items = append(items, e["item"])
		case "response.completed", "response.incomplete":
			reply = e["response"].(map[string]any)
			a, _ := json.Marshal(reply["output"])
			b, _ := json.Marshal(items)
			return []map[string]any{reply}, string(a) == string(b)
		case "message_start":
			reply = e["message"].(map[string]any)
		case "content_block_start":
			items = append(items, e["content_block"])
		case "content_block_delta":
			addDelta(items[int(e["index"].(float64))].(map[string]any), e["delta"].(map[string]any))
		case "message_stop":
			reply["content"] = items
			return []map[string]any{reply}, route == byMessages
		}
	}
	return nil, false
}

// addDelta adds to a block of Anthropic's.
func addDelta(block, delta map[string]any) {
	for _, name := range []string{"text", "thinking", "signature"} {
		if more, ok := delta[name].(string); ok {
			block[name] = block[name].(string) + more
		}
	}
	if text, ok := delta["partial_json"].(string); ok {
		_ = json.Unmarshal([]byte(text), new(map[string]any))
		var input any
		_ = json.Unmarshal([]byte(text), &input)
		block["input"] = input
	}
}

// asChat is a reply as a message of chat completions.
func asChat(route string, reply map[string]any) map[string]any {
	m := message("assistant", "")
	var calls []any
	id, _ := reply["id"].(string)
	call := func(id, name, arguments any) {
		calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}})
	}
	switch route {
	case byChat:
		return reply
	case byMessages:
		m["_id"] = strings.TrimPrefix(id, "msg_")
		for _, b := range reply["content"].([]any) {
			switch b := b.(map[string]any); b["type"] {
			case "thinking":
				m["reasoning_content"] = b["thinking"]
			case "text":
				m["content"] = b["text"]
			case "tool_use":
				text, _ := json.Marshal(b["input"])
				if raw, ok := b["input"].(map[string]any)["_raw_arguments"].(string); ok {
					text = []byte(raw)
				}
				call(b["id"], b["name"], string(text))
			}
		}
	case byResponses:
		m["_id"], m["_resp"] = strings.TrimPrefix(id, "resp_"), id
		for _, item := range reply["output"].([]any) {
			switch item := item.(map[string]any); item["type"] {
			case "reasoning":
				m["reasoning_content"] = item["content"].([]any)[0].(map[string]any)["text"]
			case "message":
				m["content"] = item["content"].([]any)[0].(map[string]any)["text"]
			case "function_call":
				call(item["call_id"], item["name"], item["arguments"])
			}
		}
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}

// goOnText goes on from a text: from its end, from an earlier place, or from one it rewrote.
func (w *walker) goOnText(rnd *rand.Rand, t thread) {
	t.texts = slices.Clone(t.texts)
	if rnd.IntN(5) == 0 {
		t.texts = t.texts[:2*(1+rnd.IntN(len(t.texts)/2))]
	}
	if rnd.IntN(20) == 0 {
		t.texts[0] = fmt.Sprint("rewritten ", rnd.IntN(9))
	}
	t.texts = append(t.texts, fmt.Sprint(" on ", rnd.IntN(30)))
	w.ask(rnd, t, nil)
}
