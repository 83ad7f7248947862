//go:build !linux

package image

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

var errLinux = errors.New("images need Linux")

func (s *disk) lock(string, locking) (*os.File, error) { return nil, errLinux }
func flock(*os.File, locking) error                    { return errLinux }
func unlock(*os.File)                                  {}
func syncDisk(int) error                               { return errLinux }
func diskNumber(fs.FileInfo) string                    { return "" }
func (s *disk) probe() error                           { return errLinux }
func (s *disk) unpack(context.Context, io.Reader, string, bool) (layer, error) {
	return layer{}, errLinux
}
