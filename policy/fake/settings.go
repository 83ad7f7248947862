package fake

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A Shape is the kind of server to imitate.
type Shape string

// The shapes.
const (
	All      Shape = "all" // the routes of all kinds
	OpenAI   Shape = "openai"
	VLLM     Shape = "vllm"
	SGLang   Shape = "sglang"
	LlamaCpp Shape = "llamacpp"
)

// A looks says how a shape differs from the others.
type looks struct {
	shape  Shape
	routes func(*Server) map[string]http.HandlerFunc // beside the routes that all shapes have
	gauges [3]string                                 // names of the running and waiting requests, and of the used share of the cache; empty: it has none
}

// looksOf lists all shapes but All.
func looksOf() []looks {
	return []looks{
		{OpenAI, (*Server).openAI, [3]string{}},
		{VLLM, (*Server).vLLM, [3]string{"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"}},
		{SGLang, (*Server).sGLang, [3]string{"sglang:num_running_reqs", "sglang:num_queue_reqs", "sglang:token_usage"}},
		{LlamaCpp, (*Server).llamaCpp, [3]string{"llamacpp:requests_processing", "llamacpp:requests_deferred"}},
	}
}

// shapes lists the names of all shapes.
func shapes() []string {
	names := []string{string(All)}
	for _, l := range looksOf() {
		names = append(names, string(l.shape))
	}
	return names
}

// Settings are a fake server's settings.
type Settings struct {
	Shape      string        // a [Shape]
	Model      string        // name of its only model
	Seed       uint64        // of weights and samples
	Version    int           // of the initial weights, 0 or more
	Length     string        // of replies, in tokens: "fixed:N", "uniform:A-B" or "lognormal:MEDIAN,SIGMA"
	Replies    string        // file of given replies, one JSON object {"text"} per line; empty: letters, of Length
	FirstToken time.Duration // from the start of a request to its first token
	Rate       float64       // tokens per second of each sequence; 0: no limit
	Interval   int           // tokens sampled and streamed at a time
	MaxRunning int           // sequences that run at once, others wait; 0: no limit
	Context    int           // most tokens of prompt and reply together
	Faults     string        // rates of faults, such as "busy=0.01,cut=0.005"
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Shape: string(All), Model: "fake", Length: "lognormal:48,0.5", FirstToken: 20 * time.Millisecond,
		Rate: 200, Interval: 8, Context: 32768,
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Shape, "shape", "kind of server to imitate").OneOf(shapes()...).Flag("shape")
	d.Text(&s.Model, "name", "name of its model").Given("a name").Flag("served-model-name")
	d.Uint64(&s.Seed, "seed", "seed of its weights and samples").Flag("fake-seed")
	d.Int(&s.Version, "version", "version of the initial weights").Between(0, math.MaxInt32).Flag("weight-version")
	d.Text(&s.Length, "length", "reply lengths in tokens: fixed:N, uniform:A-B or lognormal:MEDIAN,SIGMA").Flag("length")
	d.Text(&s.Replies, "replies", `file of given replies, one {"text": …} per line; none: letters`).Flag("replies")
	d.Duration(&s.FirstToken, "first_token", "time from the start of a request to its first token").AtLeast(0).Flag("first-token")
	d.Float(&s.Rate, "rate", "tokens per second of each sequence; 0: no limit").AtLeast(0).Flag("rate")
	d.Int(&s.Interval, "interval", "tokens sampled and streamed at a time").AtLeast(1).Flag("interval")
	d.Int(&s.MaxRunning, "max_running", "sequences that run at once, others wait; 0: no limit").AtLeast(0).Flag("max-running")
	d.Int(&s.Context, "context", "most tokens of prompt and reply together").AtLeast(1).Flag("context")
	d.Text(&s.Faults, "faults", "rates of faults, such as busy=0.01,cut=0.005; faults: "+strings.Join(names(), ", ")).Flag("faults")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if _, err := parseLengths(s.Length); err != nil {
		return err
	}
	if _, err := parseRates(s.Faults); err != nil {
		return err
	}
	switch {
	case s.Interval < 1 || s.Context < 1:
		return errors.New("interval and context: want 1 or more")
	case s.Rate < 0 || math.IsNaN(s.Rate) || s.FirstToken < 0 || s.MaxRunning < 0:
		return errors.New("rate, first_token and max_running: want 0 or more")
	case s.Version < 0 || s.Version > math.MaxInt32:
		return fmt.Errorf("version: is %d, want 0 to %d", s.Version, math.MaxInt32)
	case !slices.Contains(shapes(), s.Shape):
		names := shapes()
		last := len(names) - 1
		return fmt.Errorf("shape: is %q, want %s or %s", s.Shape, strings.Join(names[:last], ", "), names[last])
	}
	return nil
}

// A rate is the probability of a fault.
type rate struct {
	fault Fault
	rate  float64
}

// parseRates reads "busy=0.01,cut=0.005".
func parseRates(text string) (rates []rate, err error) {
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		name, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		p, err := strconv.ParseFloat(number, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("faults: %q is no rate, want one such as busy=0.01", part)
		}
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("faults: there is no fault %q, want one of %s", name, strings.Join(names(), ", "))
		}
		sum += p
		rates = append(rates, rate{Fault(name), p})
	}
	if sum > 1 {
		return nil, fmt.Errorf("faults: the rates add up to %v, want 1 at most", sum)
	}
	return rates, nil
}
