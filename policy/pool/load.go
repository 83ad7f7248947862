package pool

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// readLoad reads a load and the count of all preemptions so far from a page of metrics in
// Prometheus' text format, with the names of vLLM or SGLang. Several values of a name, from
// several engines behind one address, are added; of the cache uses, the highest counts.
// known reports whether the page gives the cache use.
func readLoad(page []byte, now time.Time) (load Load, preempted int, known bool) {
	load.At = now
	for line := range bytes.Lines(page) {
		name, value, ok := sample(line)
		if !ok {
			continue
		}
		switch name {
		case "vllm:kv_cache_usage_perc", "sglang:token_usage":
			load.Use, known = max(load.Use, min(1, value)), true
		case "vllm:num_requests_running", "sglang:num_running_reqs":
			load.Running += whole(value)
		case "vllm:num_requests_waiting", "sglang:num_queue_reqs":
			load.Waiting += whole(value)
		case "vllm:num_preemptions_total", "sglang:num_retracted_requests_total":
			preempted += whole(value)
		}
	}
	return load, preempted, known
}

// sample parses a line such as `name{label="value"} 0.5`. It rejects comments and values
// other than numbers from 0 on.
func sample(line []byte) (name string, value float64, ok bool) {
	end := bytes.IndexAny(line, "{ ")
	if end <= 0 || line[0] == '#' {
		return "", 0, false
	}
	rest := line[end:]
	if line[end] == '{' {
		rest = rest[bytes.LastIndexByte(rest, '}')+1:]
	}
	fields := bytes.Fields(rest) // a time may follow the value
	if len(fields) == 0 {
		return "", 0, false
	}
	value, err := strconv.ParseFloat(string(fields[0]), 64)
	return string(line[:end]), value, err == nil && value >= 0 && !math.IsInf(value, 0)
}

// whole converts a count, at most 2^30.
func whole(value float64) int { return int(min(value, 1<<30)) }
