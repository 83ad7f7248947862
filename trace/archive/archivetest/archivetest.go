// Package archivetest has an S3 server in memory, for tests.
package archivetest

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ID is the name of the key that the server takes.
const ID = "the-id"

// A Server is an S3 server with one bucket, called bucket, in memory. It is the transport of a
// client, or a handler. Many goroutines may use it at once; Objects, Puts and Gets only while no
// request is under way.
type Server struct {
	Objects map[string][]byte
	Puts    []string // names of the files that were written, in order
	Gets    int      // requests for a file

	// Before refuses a request with a status and a code of S3; 0: it does not. nil: never.
	Before func(r *http.Request) (status int, code string)
	// After loses the reply to a request that succeeded by an error. nil: none.
	After func(r *http.Request) error

	mu sync.Mutex
}

// New returns a server with an empty bucket.
func New() *Server { return &Server{Objects: map[string][]byte{}} }

// RoundTrip implements [http.RoundTripper].
func (f *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.Before != nil {
		if status, code := f.Before(r); status != 0 {
			w := httptest.NewRecorder()
			refuse(w, status, code)
			return w.Result(), nil
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	if f.After != nil && w.Code == http.StatusOK {
		if err := f.After(r); err != nil {
			return nil, err
		}
	}
	reply := w.Result()
	reply.Request = r
	return reply, nil
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

// ServeHTTP implements [http.Handler].
func (f *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/")
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="+ID+"/") {
		refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	data, there := f.Objects[key]
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(data)))
	w.Header().Set("Last-Modified", "Fri, 27 Nov 2026 08:00:00 GMT")
	switch {
	case r.Method == http.MethodGet && key == "":
		f.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		f.put(w, r, key)
	case !there:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		f.Gets++
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// list lists the objects with a prefix.
func (f *Server) list(w io.Writer, prefix string) {
	type object struct {
		Key          string
		Size         int
		LastModified string
	}
	var reply struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []object
	}
	for _, key := range slices.Sorted(maps.Keys(f.Objects)) {
		if strings.HasPrefix(key, prefix) {
			reply.Contents = append(reply.Contents, object{key, len(f.Objects[key]), "2026-11-27T08:00:00.000Z"})
		}
	}
	text, err := xml.Marshal(reply)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(text) // to memory
}

// put stores an object, unless there is one.
func (f *Server) put(w http.ResponseWriter, r *http.Request, key string) {
	if r.Header.Get("If-None-Match") != "*" {
		refuse(w, http.StatusBadRequest, "Unconditional")
		return
	}
	if _, there := f.Objects[key]; there {
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	data, err := body(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	f.Objects[key], f.Puts = data, append(f.Puts, key)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(data)))
}

// body reads the body of a request, which may be in signed chunks.
func body(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	var all []byte
	for in := bufio.NewReader(r.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		digits, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(digits, 16, 32)
		if err != nil {
			return nil, err
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		all = append(all, chunk[:n]...)
	}
	if want := r.Header.Get("X-Amz-Decoded-Content-Length"); want != strconv.Itoa(len(all)) {
		return nil, errors.New("another length")
	}
	return all, nil
}
