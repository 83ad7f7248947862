// Package archive copies the closed files of traces to a bucket of an S3 server, and reads them
// there. A file of the archive never changes: its name has the run, the folder and the number,
// and it is written only if there is none of that name.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/quintain-rl/quintain/trace"
)

// scheme begins the URL of an archive.
const scheme = "s3://"

// Is reports whether name is the URL of an archive.
func Is(name string) bool { return strings.HasPrefix(name, scheme) }

// A Bucket is an archive: a bucket, or a prefix in one. Many goroutines may use it at once.
type Bucket struct {
	client *minio.Client
	name   string
	prefix string // with a slash at its end; empty: the whole bucket
}

// Open returns the archive with a URL, s3://bucket/prefix, without asking its server. The
// variables are those of AWS: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for another server,
// AWS_REGION, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; without keys
// the file ~/.aws/credentials and the role of the machine give them.
func Open(name string, getenv func(string) string) (*Bucket, error) { return open(name, getenv, nil) }

// open is Open, over a transport; nil: HTTP.
func open(name string, getenv func(string) string, over http.RoundTripper) (*Bucket, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(name, scheme), "/")
	prefix = strings.Trim(prefix, "/")
	if !Is(name) || bucket == "" || prefix != "" && (path.Clean(prefix) != prefix || strings.HasPrefix(prefix, "..")) {
		return nil, fmt.Errorf("is %q, want s3://BUCKET/PREFIX", name)
	}
	options := &minio.Options{Secure: true, Region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")), Transport: over, MaxRetries: 1, Creds: keys(getenv)}
	server := "s3.amazonaws.com"
	if other := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL")); other != "" {
		at, err := url.Parse(other)
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" || at.User != nil {
			return nil, errors.New("AWS_ENDPOINT_URL is not of the form https://HOST:PORT")
		}
		server, options.Secure, options.Region = at.Host, at.Scheme == "https", cmp.Or(options.Region, "us-east-1")
	}
	client, err := minio.New(server, options)
	if err != nil {
		return nil, err
	}
	b := &Bucket{client: client, name: bucket}
	if prefix != "" {
		b.prefix = prefix + "/"
	}
	return b, nil
}

// keys returns the keys of the environment, or else those of the user or the machine.
func keys(getenv func(string) string) *credentials.Credentials {
	if id := getenv("AWS_ACCESS_KEY_ID"); id != "" {
		return credentials.NewStaticV4(id, getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN"))
	}
	return credentials.NewChainCredentials([]credentials.Provider{&credentials.FileAWSCredentials{}, &credentials.IAM{}})
}

// askTime bounds a question to the server.
const askTime = time.Minute

// list returns the sizes of the files below a folder of the archive, by their paths in it.
func (b *Bucket) list(ctx context.Context, folder string) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	sizes := map[string]int64{}
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + folder, Recursive: true}) {
		if object.Err != nil {
			return nil, told(object.Err)
		}
		sizes[strings.TrimPrefix(object.Key, b.prefix+folder)] = object.Size
	}
	return sizes, nil
}

// errOther says that the archive has another file of a name.
var errOther = errors.New("the archive has another file of this name")

// slowest is the least speed of a connection that is waited for, in bytes a second.
const slowest = 100 << 10

// put writes a file unless there is one of its name. If there is, with another size, the error is
// errOther.
func (b *Bucket) put(ctx context.Context, key string, f trace.File) error {
	ctx, cancel := context.WithTimeout(ctx, askTime+time.Duration(f.Size()/slowest)*time.Second)
	defer cancel()
	options := minio.PutObjectOptions{DisableMultipart: true, ContentType: "application/vnd.quintain.trace"}
	options.SetMatchETagExcept("*")
	_, err := b.client.PutObject(ctx, b.name, b.prefix+key, io.NewSectionReader(f, 0, f.Size()), f.Size(), options)
	if minio.ToErrorResponse(err).StatusCode != http.StatusPreconditionFailed {
		return told(err)
	}
	there, err := b.client.StatObject(ctx, b.name, b.prefix+key, minio.StatObjectOptions{})
	if err == nil && there.Size != f.Size() {
		err = errOther
	}
	return told(err)
}

// read reads size bytes of a file from an offset.
func (b *Bucket) read(key string, offset, size int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+size-1); err != nil {
		return nil, err
	}
	object, err := b.client.GetObject(ctx, b.name, b.prefix+key, options)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(object, data); err != nil {
		return nil, told(err)
	}
	return data, nil
}

// told adds the code of a server's error, and makes it an [fs.ErrNotExist] if the file is gone.
func told(err error) error {
	reply := minio.ToErrorResponse(err)
	switch {
	case err == nil || reply.StatusCode == 0:
		return err
	case reply.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return fmt.Errorf("%s: %w", cmp.Or(reply.Code, http.StatusText(reply.StatusCode)), err)
}

// url is the address of a file, for people.
func (b *Bucket) url(key string) string { return scheme + b.name + "/" + b.prefix + key }
