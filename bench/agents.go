//go:build ignore

// Loads an OpenAI-compatible address with agents that make calls one after another, and prints
// times as JSON. bench/gateway.py compares gateways with it.
//
//	go run bench/agents.go -base http://127.0.0.1:8000 -agents 100 -seconds 10
//
// With -sessions the address is that of a Quintain gateway: each agent takes a session for
// every ten calls, ends it and rewards it.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

var (
	base     = flag.String("base", "", "address, without /v1")
	key      = flag.String("key", "none", "API key")
	model    = flag.String("model", "fake", "name of the model")
	agents   = flag.Int("agents", 100, "agents at once")
	seconds  = flag.Float64("seconds", 10, "time of the measurement, after a second of warming up and the spread")
	prompt   = flag.Int("prompt", 8000, "characters of the first message")
	sessions = flag.Bool("sessions", false, "the address is that of a Quintain gateway")
	tokens   = flag.Int("tokens", 100, "most tokens of a reply")
	streamed = flag.Bool("stream", false, "ask for streams")
	turns    = flag.Int("turns", 10, "calls of a session")
	spread   = flag.Duration("spread", 0, "time over which the agents begin: without it, the replies of a slow engine come all at once")
)

var client = http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1 << 14, MaxConnsPerHost: 0}}

func post(url, key string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: status %d: %.300s", url, resp.StatusCode, out)
	}
	return out, err
}

type session struct {
	ID, Key, OpenAI string
}

// An agent makes calls until the end.
type agent struct {
	number int
	times  []time.Duration
	calls  int
}

func (a *agent) session() (session, error) {
	if !*sessions {
		return session{OpenAI: *base + "/v1", Key: *key}, nil
	}
	out, err := post(*base+"/v1/sessions?wait=60", *key, map[string]any{"name": fmt.Sprintf("agent-%d-%d-%d", os.Getpid(), a.number, a.calls), "of": 1})
	if err != nil {
		return session{}, err
	}
	var made struct{ Sessions []session }
	if err := strictjson.Unmarshal(out, &made); err != nil {
		return session{}, err
	}
	return made.Sessions[0], nil
}

func (a *agent) finish(s session) error {
	if !*sessions {
		return nil
	}
	if _, err := post(*base+"/v1/sessions/"+s.ID+"/reward", *key, map[string]any{"reward": a.calls % 2}); err != nil {
		return err
	}
	_, err := post(*base+"/v1/sessions/"+s.ID+"/end", *key, map[string]any{})
	return err
}

func (a *agent) run(text string, from, until time.Time, errors *atomic.Int64) {
	for time.Now().Before(until) {
		s, err := a.session()
		if err != nil {
			errors.Add(1)
			fmt.Fprintln(os.Stderr, err)
			<-time.After(100 * time.Millisecond)
			continue
		}
		talk := []map[string]any{{"role": "user", "content": text}}
		for range *turns {
			begin := time.Now()
			if begin.After(until) {
				break
			}
			out, err := post(s.OpenAI+"/chat/completions", s.Key, map[string]any{"model": *model, "messages": talk, "max_tokens": *tokens, "stream": *streamed})
			if err != nil {
				errors.Add(1)
				fmt.Fprintln(os.Stderr, err)
				break
			}
			if end := time.Now(); begin.After(from) && end.Before(until) {
				a.times = append(a.times, end.Sub(begin))
			}
			a.calls++
			reply := "word"
			var got struct {
				Choices []struct{ Message struct{ Content string } }
			}
			if strictjson.Unmarshal(out, &got) == nil && len(got.Choices) > 0 {
				reply = got.Choices[0].Message.Content
			}
			if !*streamed {
				talk = append(talk, map[string]any{"role": "assistant", "content": reply}, map[string]any{"role": "user", "content": "Go on."})
			}
		}
		if err := a.finish(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func main() {
	flag.Parse()
	text := strings.Repeat("lorem ipsum dolor ", *prompt/18)
	from := time.Now().Add(time.Second + *spread)
	until := from.Add(time.Duration(*seconds * float64(time.Second)))
	var errors atomic.Int64
	var all sync.WaitGroup
	list := make([]*agent, *agents)
	for i := range list {
		list[i] = &agent{number: i}
		all.Go(func() {
			<-time.After(*spread * time.Duration(i) / time.Duration(*agents))
			list[i].run(fmt.Sprint(i)+text, from, until, &errors)
		})
	}
	all.Wait()
	var times []time.Duration
	for _, a := range list {
		times = append(times, a.times...)
	}
	slices.Sort(times)
	made := 0
	for _, a := range list {
		made += a.calls
	}
	at := func(share float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1000
	}
	out, _ := json.Marshal(map[string]any{ // numbers of ours
		"agents": *agents, "calls": len(times), "made": made, "errors": errors.Load(), "calls_per_s": float64(len(times)) / *seconds,
		"p50_ms": at(0.5), "p90_ms": at(0.9), "p99_ms": at(0.99),
	})
	fmt.Println(string(out))
}
