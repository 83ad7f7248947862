package web

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings are the settings of a server.
type Settings struct {
	Host    string // to listen on
	Port    int    // 0: any free port
	KeyFile string // see [ReadKeys]; empty: no keys

	Announce string // file that gets the address, by [Listener.Announce]; empty: none

	MaxConnections int           // at once
	MaxBody        int64         // bytes of a request body on the wire
	MaxInflated    int64         // bytes of a request body after gzip
	Memory         int64         // bytes for all concurrent requests; 0: a quarter of the machine's memory
	Stall          time.Duration // how long a connection may move no byte during a request
	Drain          time.Duration // for running requests when the server stops
	Origins        []string      // of web pages that may call, such as "https://example.org"; "*": any; none: CORS off
	AccessLog      bool          // log requests at level info, not debug

	Calls int  // connections of the process to other servers, which MaxConnections leaves files for; no setting of users
	Next  bool // if the port is in use, listen on the next free one; no setting of users
}

// Default returns the default settings.
func Default() Settings {
	return Settings{
		Host: "127.0.0.1", Port: 8000,
		MaxConnections: 8192, MaxBody: 256 << 20, MaxInflated: 512 << 20, Stall: time.Minute, Drain: 5 * time.Second,
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Host, "host", "address to listen on; any but loopback needs a key file").Given("an address").Flag("host")
	d.Int(&s.Port, "port", "port to listen on; 0: any free one").Between(0, 65535).Flag("port")
	d.Text(&s.KeyFile, "key_file", "file of keys, one per line: KEY for all routes, or ROLE KEY; every request needs one").Flag("key-file")
	d.Text(&s.Announce, "announce", "file that gets the address once the server is ready, for the @FILE of quintain worker --coordinator; with any address as host it names the machine").Flag("announce")
	d.Int(&s.MaxConnections, "max_connections", "concurrent connections").AtLeast(1)
	d.Int64(&s.MaxBody, "max_body", "bytes of a request body").AtLeast(1)
	d.Int64(&s.MaxInflated, "max_inflated", "bytes of a request body after gzip; it may inflate to 16 MiB, plus 256 times its size if its gzip is one member").Between(1, math.MaxUint32)
	d.Int64(&s.Memory, "memory", "bytes for all concurrent requests, beyond which they get status 503; 0: a quarter of the machine's memory").AtLeast(0)
	d.Duration(&s.Stall, "stall", "how long a connection may stand still during a request").Above(0)
	d.Duration(&s.Drain, "drain", "how long running requests may take when the server stops").Above(0)
	d.Texts(&s.Origins, "origins", "origins of web pages that may call, such as https://example.org; * for any; their hosts also name the server")
	d.Bool(&s.AccessLog, "access_log", "log every request")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.KeyFile == "" && !loopback(bare(s.Host)) {
		return fmt.Errorf("host: %s is not loopback: name a file with a key by --key-file, or listen on 127.0.0.1", s.Host)
	}
	for _, origin := range s.Origins {
		if origin != "*" && !strings.Contains(origin, "://") {
			return fmt.Errorf("origins: is %s, want * or https://HOST", origin)
		}
	}
	return nil
}

// withDefaults fills in zeros, except for the port.
func (s Settings) withDefaults() Settings {
	d := Default()
	s.Host = bare(cmp.Or(s.Host, d.Host))
	s.MaxConnections = cmp.Or(s.MaxConnections, d.MaxConnections)
	s.MaxBody = cmp.Or(s.MaxBody, d.MaxBody)
	s.MaxInflated = cmp.Or(s.MaxInflated, d.MaxInflated)
	if s.Memory == 0 {
		s.Memory = defaultMemory()
	}
	s.Stall = cmp.Or(s.Stall, d.Stall)
	s.Drain = cmp.Or(s.Drain, d.Drain)
	return s
}
