// Package wal is the log under what must survive a crash: files of frames with salted checksums,
// which grow at their end and are durable before an append returns. A [Source] reads such a file,
// tells a write that a crash tore (never confirmed, to be cut off) from damage at rest, and goes
// around damage. A [Mark] tells of confirmed ends that are missing. A [Folder] bounds its open
// files. docs/formats/log.md describes the bytes.
//
// What the frames hold, which files there are, and what is done about damage is the user's.
package wal
