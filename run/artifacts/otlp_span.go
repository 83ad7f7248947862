package artifacts

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/internal/traceparent"
)

// A Span is something that took time.
type Span struct {
	Name       string
	At         traceparent.Context
	Parent     traceparent.Context // in the same trace; without a span: none
	Link       traceparent.Context // to a span that it belongs to as well; without a span: none
	Calls      bool                // it is a call of another process
	Start, End time.Time
	Attributes []Attribute
	Error      string // what failed; empty: nothing
}

// An Attribute says something of a span. Make one with [Text], [Int], [Float] or [Texts].
type Attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// A value has one field, as in the JSON form of OTLP, which writes whole numbers as text.
type value struct {
	Text   *string  `json:"stringValue,omitempty"`
	Int    string   `json:"intValue,omitempty"`
	Float  *float64 `json:"doubleValue,omitempty"`
	Values *values  `json:"arrayValue,omitempty"`
}

type values struct {
	Values []value `json:"values"`
}

// Text makes an attribute of a text.
func Text(key, v string) Attribute { return Attribute{key, value{Text: &v}} }

// Int makes an attribute of a whole number.
func Int(key string, v int) Attribute { return Attribute{key, value{Int: strconv.Itoa(v)}} }

// Texts makes an attribute of a list.
func Texts(key string, all ...string) Attribute {
	list := &values{}
	for i := range all {
		list.Values = append(list.Values, value{Text: &all[i]})
	}
	return Attribute{key, value{Values: list}}
}

// Float makes an attribute of a number, or of its name if JSON has none for it.
func Float(key string, v float64) Attribute {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Text(key, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return Attribute{key, value{Float: &v}}
}

// The form of a request: ExportTraceServiceRequest of opentelemetry-proto, in JSON.
type (
	request struct {
		Resources []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource resource     `json:"resource"`
		Scopes   []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []Attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	span struct {
		Trace      string      `json:"traceId"` // hexadecimal, unlike other bytes in JSON
		ID         string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Flags      uint32      `json:"flags"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []Attribute `json:"attributes,omitempty"`
		Links      []link      `json:"links,omitempty"`
		Status     *status     `json:"status,omitempty"`
	}
	link struct {
		Trace string `json:"traceId"`
		ID    string `json:"spanId"`
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
)

// Numbers of opentelemetry-proto.
const (
	kindInternal = 1
	kindClient   = 3
	codeError    = 2
)

// encode makes a request of spans.
func encode(of []Attribute, all []Span) ([]byte, error) {
	list := make([]span, len(all))
	for i := range all {
		list[i] = all[i].wire()
	}
	return json.Marshal(request{[]resourceSpans{{resource{of}, []scopeSpans{{scope{"quintain"}, list}}}}})
}

// mostError bounds the message of a failed span, in bytes.
const mostError = 1000

// wire is the form of a span in a request.
func (s *Span) wire() span {
	out := span{
		Trace: hex.EncodeToString(s.At.Trace[:]), ID: hex.EncodeToString(s.At.Span[:]), Flags: 1, Name: s.Name, Kind: kindInternal,
		Start: nanos(s.Start), End: nanos(s.End), Attributes: s.Attributes,
	}
	if s.Parent.Valid() {
		out.Parent = hex.EncodeToString(s.Parent.Span[:])
	}
	if s.Link.Valid() {
		out.Links = []link{{hex.EncodeToString(s.Link.Trace[:]), hex.EncodeToString(s.Link.Span[:])}}
	}
	if s.Calls {
		out.Kind = kindClient
	}
	if s.Error != "" {
		out.Status = &status{codeError, s.Error[:min(len(s.Error), mostError)]}
	}
	return out
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
