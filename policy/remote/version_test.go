package remote

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// asks answers GET /v with the next of answers, staying at the last, and anything else with
// {}.
type asks struct {
	answers []string // "": no answer
	asked   int
}

func (a *asks) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/v" {
		return response(200, "{}"), nil
	}
	text := a.answers[min(a.asked, len(a.answers)-1)]
	a.asked++
	if text == "" {
		return nil, errors.New("connection refused")
	}
	if strings.HasPrefix(text, "4") {
		return response(404, "no"), nil
	}
	return response(200, text), nil
}

// A server's first report may be the label of an earlier run, which another report ends.
func TestLabelsOfAnotherRun(t *testing.T) {
	report := func(label int) string { return fmt.Sprintf(`{"weight_version":"%d"}`, label) }
	for _, test := range []struct {
		why     string
		newest  int32
		reports []int   // one a second
		want    []int32 // 9: what the trainer told
	}{
		{"of this run", 2, []int{0, 1, 2}, []int32{0, 1, 2}},
		{"the newest that can be", 2, []int{2, 3, 7}, []int32{2, 3, 7}},
		{"above it, until this run begins its count", 2, []int{10, 10, 0, 1}, []int32{9, 9, 0, 1}},
		{"above it, and it stays", 2, []int{10, 10, 10}, []int32{9, 9, 9}},
		{"above it, and back to the same later", 2, []int{10, 9, 10}, []int32{9, 9, 10}},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &asks{}
			for _, label := range test.reports {
				a.answers = append(a.answers, report(label))
			}
			newest := test.newest
			s, err := New(Config{URL: "http://server", VersionPath: "v", Transport: a, Version: func() int32 { return 9 }, Newest: func() int32 { return newest }})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range test.want {
				if got, believed := s.Version(t.Context()), s.Believes(int32(test.reports[i])); got != want || believed != (test.want[i] == int32(test.reports[i])) {
					t.Errorf("%s: report %d is taken for version %d, believed %t; want %d", test.why, i, got, believed, want)
				}
				newest += 10 // the run goes on
				time.Sleep(time.Second)
			}
		})
	}
}

func TestVersionsOfWeights(t *testing.T) {
	for _, test := range []struct {
		why     string
		told    int32
		answers []string
		want    []int32 // of requests at 0, 0.5, 1 and 2 seconds
		asked   int
	}{
		{"asked again at once, since the trainer told a newer one", 9, []string{`{"weight_version":"1"}`, `{"weight_version":"9"}`}, []int32{1, 9, 9, 9}, 3},
		{"asked once a second", 0, []string{`{"weight_version":"1"}`, `{"weight_version":2}`, `{"weight_version":"3"}`}, []int32{1, 1, 2, 3}, 3},
		{"a server without such a route is asked once", 9, []string{"404"}, []int32{9, 9, 9, 9}, 1},
		{"a server that begins with a word", 9, []string{`{"weight_version":"default"}`, `{"weight_version":"1"}`}, []int32{9, 9, 1, 1}, 3},
		{"the last report stays while the server is silent", 0, []string{`{"weight_version":"1"}`, "", `{}`}, []int32{1, 1, 1, 1}, 3},
		{"below zero", 9, []string{`{"weight_version":-1}`}, []int32{9, 9, 9, 9}, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &asks{answers: test.answers}
			s, err := New(Config{URL: "http://server", VersionPath: "v", Transport: a, Version: func() int32 { return test.told }})
			if err != nil {
				t.Fatal(err)
			}
			for i, pause := range []time.Duration{0, 500 * time.Millisecond, 500 * time.Millisecond, time.Second} {
				time.Sleep(pause)
				c := call()
				c.Begin = func(version int32) {
					if version != test.want[i] {
						t.Errorf("%s: request %d is of version %d, want %d", test.why, i, version, test.want[i])
					}
				}
				if err := s.Ask(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if a.asked != test.asked {
				t.Errorf("%s: asked %d times, want %d", test.why, a.asked, test.asked)
			}
		})
	}
}
