package fake

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
)

// A Fault goes wrong with one request for samples or scores.
type Fault string

// The faults. A stream breaks in its middle. Faults within a reply leave scores alone.
const (
	Busy      Fault = "busy"       // status 429 with Retry-After: 0
	Failed    Fault = "failed"     // status 500
	NoServer  Fault = "no_server"  // status 502 with the page of a proxy
	GaveUp    Fault = "gave_up"    // status 504 with the page of a proxy, after everything was sampled
	Dropped   Fault = "dropped"    // the connection is closed without an answer
	Cut       Fault = "cut"        // the connection is closed in the middle of the answer
	Aborted   Fault = "aborted"    // the request is aborted before its first token
	Stalled   Fault = "stalled"    // nothing comes until the client is gone
	FewProbs  Fault = "few_probs"  // a log-probability is missing
	NullProb  Fault = "null_prob"  // a log-probability is null, as some servers write NaN
	NaNProb   Fault = "nan_prob"   // a log-probability is NaN, which JSON lacks
	HighProb  Fault = "high_prob"  // a log-probability is above 0
	ManyToken Fault = "many_token" // more tokens than were requested, or than the counts say
	Foreign   Fault = "foreign"    // a token is not in the vocabulary
	Stray     Fault = "stray"      // the answer is to another request
	NoEnd     Fault = "no_end"     // no finish reason
)

// Faults returns all faults.
func Faults() []Fault {
	return []Fault{Busy, Failed, NoServer, GaveUp, Dropped, Cut, Aborted, Stalled, FewProbs, NullProb, NaNProb, HighProb, ManyToken, Foreign, Stray, NoEnd}
}

func names() (list []string) {
	for _, f := range Faults() {
		list = append(list, string(f))
	}
	return list
}

// before carries out a fault without an answer, and reports whether f is one.
func (f Fault) before(w http.ResponseWriter, r *http.Request) bool {
	switch f {
	case Busy:
		w.Header().Set("Retry-After", "0")
		refuse(w, http.StatusTooManyRequests, "too many requests")
	case Failed:
		refuse(w, http.StatusInternalServerError, "the engine has died")
	case NoServer:
		page(w, http.StatusBadGateway)
	case Dropped:
		panic(http.ErrAbortHandler)
	case Stalled:
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

// page answers like a proxy without an answer from the server.
func page(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	title := fmt.Sprint(status, " ", http.StatusText(status))
	fmt.Fprintf(w, "<html><head><title>%s</title></head><body><h1>%s</h1></body></html>", title, title)
}

// notANumber stands for NaN.
const notANumber = -123456.75

// spoil puts f into a piece of a reply.
func (f Fault) spoil(p *piece) {
	if f == NoEnd {
		p.finish = ""
	}
	if len(p.tokens) == 0 {
		return
	}
	switch f {
	case FewProbs:
		p.probs = p.probs[1:]
	case NullProb:
		p.probs[0] = math.NaN()
	case NaNProb:
		p.probs[0] = notANumber
	case HighProb:
		p.probs[0] = 0.5
	case ManyToken:
		p.extra = p.tokens[0]
	case Foreign:
		p.tokens[0] = 99_999_999
	}
}

// misdirect turns j into somebody else's request.
func (f Fault) misdirect(j *job) {
	if f == Stray {
		j.id = "another"
		j.prompt = append([]quintain.Token{'?'}, j.prompt...)
	}
}

// text returns the JSON of an answer, with the numbers that JSON lacks.
func (f Fault) text(body []byte) []byte {
	if f == NaNProb {
		return []byte(strings.ReplaceAll(string(body), "-123456.75", "NaN"))
	}
	return body
}
