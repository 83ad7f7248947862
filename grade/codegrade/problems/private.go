package problems

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxUnpacked limits the private tests of a row when they are unpacked, in bytes.
const maxUnpacked = 256 << 20

// privateCases reads the column private_test_cases of LiveCodeBench: JSON, or base64 of zlib of
// the pickle of a text that is JSON.
func privateCases(v any) ([]any, error) {
	text, ok := v.(string)
	if !ok || strings.TrimSpace(text) == "" || strings.HasPrefix(strings.TrimSpace(text), "[") {
		return listIn("the tests", v)
	}
	unpacked, err := unpack(strings.TrimSpace(text), maxUnpacked)
	if err != nil {
		return nil, err
	}
	return listIn("the unpacked tests", unpacked)
}

// unpack returns a text from base64 of zlib of its pickle, which may have most bytes.
func unpack(packed string, most int64) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return "", errors.New("is neither a list nor base64")
	}
	in, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return "", errors.New("is base64, but not of zlib")
	}
	pickle, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return "", errors.New("is damaged: its zlib does not end, or has other content than its sum says")
	}
	if int64(len(pickle)) > most {
		return "", fmt.Errorf("has more than %d bytes unpacked: leave the row out", most)
	}
	text, err := unpickled(pickle)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", errors.New("is the pickle of an empty text")
	}
	return text, nil
}
