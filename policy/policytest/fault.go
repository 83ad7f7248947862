package policytest

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Fault answers r badly. reply would have been the good answer.
type Fault func(w http.ResponseWriter, r *http.Request, reply map[string]any)

// Status refuses with a status code. headers alternates names and values.
func Status(code int, headers ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		refuse(w, code, "no")
	}
}

// Body answers 200 with any body, such as the HTML page of a proxy.
func Body(contentType, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

// Edit answers with the good reply after edit has changed it, as a decoded JSON object.
func Edit(edit func(reply map[string]any)) Fault {
	return func(w http.ResponseWriter, _ *http.Request, reply map[string]any) {
		body, _ := json.Marshal(reply)
		var plain map[string]any
		_ = strictjson.Unmarshal(body, &plain)
		edit(plain)
		send(w, plain)
	}
}

// EditChoice is [Edit] for the first choice of the reply.
func EditChoice(edit func(choice map[string]any)) Fault {
	return Edit(func(reply map[string]any) { edit(reply["choices"].([]any)[0].(map[string]any)) })
}

// Drop closes the connection without an answer.
func Drop(http.ResponseWriter, *http.Request, map[string]any) { panic(http.ErrAbortHandler) }

// Cut closes the connection in the middle of the answer's body.
func Cut(w http.ResponseWriter, _ *http.Request, reply map[string]any) {
	body, _ := json.Marshal(reply)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// Truncate sends half of the answer's body as if it were the whole.
func Truncate(w http.ResponseWriter, _ *http.Request, reply map[string]any) {
	body, _ := json.Marshal(reply)
	_, _ = w.Write(body[:len(body)/2])
}

// Hang does not answer until the client has gone.
func Hang(_ http.ResponseWriter, r *http.Request, _ map[string]any) { <-r.Context().Done() }
