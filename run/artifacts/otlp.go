package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Bounds of an exporter.
const (
	mostWaiting = 16_384 // spans; further ones are dropped
	mostBatch   = 512    // spans of a request
	tries       = 10     // of a request, in about four minutes
	sendEvery   = 2 * time.Second
	patience    = 10 * time.Second // for the answer to a request
	longest     = 30 * time.Second // pause after a failure
	lastTime    = 5 * time.Second  // for what is left when the run has ended
	mostAnswer  = 64 << 10         // bytes that are read
)

// Reasons to drop spans.
const (
	dropFull    = "full"    // too many waited
	dropRefused = "refused" // the collector will not have them
	dropTried   = "tried"   // the collector could not be reached for too long
)

// An Exporter sends spans. It never stops the run: what the collector does not take is counted
// and dropped. Many goroutines may use it.
type Exporter struct {
	url    string
	of     []Attribute
	log    *slog.Logger
	client *httpclient.Client

	down bool // the last request failed; Run's, then Close's

	mu      sync.Mutex // guards the rest
	waiting []Span
	full    chan struct{} // has an element once a whole request waits

	sent, failures prometheus.Counter
	dropped        *prometheus.CounterVec
}

// NewExporter returns an exporter, which sends while Run runs. The attributes say who sends. The error
// names the setting.
func NewExporter(s OTLPSettings, getenv func(string) string, log *slog.Logger, of ...Attribute) (*Exporter, error) {
	at, err := s.address()
	if err != nil {
		return nil, fmt.Errorf("otlp.url: %w", err)
	}
	headers, err := headersOf(getenv(HeadersVariable))
	if err != nil {
		return nil, err
	}
	e := &Exporter{
		url: at, of: of, log: log, full: make(chan struct{}, 1), client: httpclient.New(httpclient.Config{Header: headers}),
		sent:     prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_otlp_spans_total", Help: "Spans that the collector took."}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_otlp_failures_total", Help: "Requests that the collector did not take."}),
		dropped:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_otlp_dropped_total", Help: "Spans that were dropped, by why."}, []string{"why"}),
	}
	for _, why := range []string{dropFull, dropRefused, dropTried} {
		e.dropped.WithLabelValues(why)
	}
	return e, nil
}

// Describe implements [prometheus.Collector].
func (e *Exporter) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(e, to) }

// Collect implements [prometheus.Collector].
func (e *Exporter) Collect(to chan<- prometheus.Metric) {
	to <- e.sent
	to <- e.failures
	e.dropped.Collect(to)
}

// Add has spans sent. It does not wait.
func (e *Exporter) Add(spans ...Span) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fit := spans[:min(len(spans), mostWaiting-len(e.waiting))]
	e.waiting = append(e.waiting, fit...)
	e.dropped.WithLabelValues(dropFull).Add(float64(len(spans) - len(fit)))
	if len(e.waiting) >= mostBatch {
		select {
		case e.full <- struct{}{}:
		default:
		}
	}
}

// Run sends spans until ctx ends. The error is nil.
func (e *Exporter) Run(ctx context.Context) error {
	long, cut := context.WithCancel(context.WithoutCancel(ctx)) // the collector may have what is under way when ctx ends
	defer cut()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastTime, cut) })()
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-e.full:
		}
		e.send(ctx, long)
	}
}

// Close sends what is left, for five seconds at most. Call it after Run has returned. The error is
// nil.
func (e *Exporter) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	e.send(ctx, ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.client.CloseIdle()
	if left := len(e.waiting); left > 0 {
		e.dropped.WithLabelValues(dropTried).Add(float64(left))
		e.log.Warn("the collector does not have the last spans of the run", "missing", left)
		e.waiting = nil
	}
	return nil
}

// send sends the waiting spans, until ctx ends. Long is for requests under way then.
func (e *Exporter) send(ctx, long context.Context) {
	for ctx.Err() == nil {
		e.mu.Lock()
		batch := e.waiting[:min(len(e.waiting), mostBatch)]
		e.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if !e.persist(ctx, long, batch) {
			return
		}
		e.mu.Lock()
		e.waiting = append([]Span(nil), e.waiting[len(batch):]...)
		e.mu.Unlock()
	}
}

// persist sends spans until the collector has taken or refused them, or has been away for too long.
// It returns false if ctx ends before.
func (e *Exporter) persist(ctx, long context.Context, batch []Span) bool {
	body, err := encode(e.of, batch)
	if err != nil {
		e.drop(dropRefused, len(batch), err)
		return true
	}
	pauses := pause.Backoff{First: time.Second, Most: longest}
	for try := 1; ; try++ {
		rejected, err := e.post(long, body)
		switch {
		case err == nil:
			e.sent.Add(float64(len(batch) - min(rejected, len(batch))))
			if rejected > 0 {
				e.drop(dropRefused, min(rejected, len(batch)), errors.New("the collector rejected them"))
			} else {
				e.up()
			}
			return true
		case ctx.Err() != nil:
			return false
		}
		e.failures.Inc()
		fault, _ := errors.AsType[*httpclient.Error](err)
		if !slices.Contains(temporary, fault.Status) {
			e.drop(dropRefused, len(batch), err)
			return true
		}
		if try == tries {
			e.drop(dropTried, len(batch), err)
			return true
		}
		e.fail("the collector takes no spans; they wait", "err", err)
		if !pause.For(ctx, max(pauses.After(try), min(fault.After, longest))) {
			return false
		}
	}
}

// drop counts spans that are not sent.
func (e *Exporter) drop(why string, n int, err error) {
	e.dropped.WithLabelValues(why).Add(float64(n))
	e.fail("spans are dropped", "why", why, "spans", n, "err", err)
}

// fail logs the first failure in a row.
func (e *Exporter) fail(text string, args ...any) {
	if !e.down {
		e.log.Warn(text, args...)
	}
	e.down = true
}

// up logs the end of failures.
func (e *Exporter) up() {
	if e.down {
		e.log.Info("the collector takes spans again")
	}
	e.down = false
}

// temporary has the statuses after which the protocol lets a client ask again; 0: there was no answer.
var temporary = []int{0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// post sends a request. It returns how many spans the collector rejected. The error is an
// [*httpclient.Error].
func (e *Exporter) post(ctx context.Context, body []byte) (rejected int, err error) {
	ctx, cancel := httpclient.Within(ctx, patience)
	defer cancel()
	r, err := e.client.Request(ctx, http.MethodPost, e.url, body)
	if err != nil {
		return 0, err
	}
	reply, err := e.client.Do(r, mostAnswer)
	if reply.Status/100 != 2 {
		return 0, err
	}
	var answer struct { // it has them, even if its answer breaks off
		Partial struct {
			Rejected json.RawMessage `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if strictjson.Unmarshal(reply.Body, &answer) == nil {
		rejected, _ = strconv.Atoi(strings.Trim(string(answer.Partial.Rejected), `"`))
	}
	return max(0, rejected), nil
}
