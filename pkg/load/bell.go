package load

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// Bell has those that wait be let in when the network has been read. Go looks there only while nothing is ready to run,
// or every 10 ms, for 128 connections at a time. As long as whatever ends makes the next that waits ready, it would let
// thousands of requests lie in the kernel, those of calm callers among them, and no turn would be fair. The bell is a
// pipe: Go finds it in the network behind all connections that had something before it was rung. A nil bell lets in at
// once.
type Bell struct {
	read, write *os.File
	network     syscall.RawConn // of read
	rings       chan struct{}
	closed      chan struct{}
	mu          sync.Mutex
	letIn       []func()
}

// NewBell returns a bell, which is to be closed.
func NewBell() (*Bell, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("a pipe: %w", err)
	}
	network, err := read.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	b := &Bell{read: read, write: write, network: network, rings: make(chan struct{}, 1), closed: make(chan struct{})}
	go b.hear()
	return b, nil
}

// Close ends the bell, once. Nobody is let in any more.
func (b *Bell) Close() error {
	close(b.closed)
	return errors.Join(b.write.Close(), b.read.Close())
}

// hear lets in who waits after each ring, until the bell is closed.
func (b *Bell) hear() {
	for {
		select {
		case <-b.rings:
		case <-b.closed:
			return
		}
		if b.lookAtNetwork() != nil {
			return // it is closed
		}
		for _, letIn := range b.all() {
			letIn()
		}
	}
}

// lookAtNetwork returns when Go has looked at the network, up to what comes now.
func (b *Bell) lookAtNetwork() error {
	one := make([]byte, 1)
	var failed error
	written := false
	err := b.network.Read(func(uintptr) (done bool) {
		if written {
			return true
		}
		// It is written here so that Go finds it while it waits for it.
		written = true
		_, failed = b.write.Write(one)
		return failed != nil
	})
	if err = errors.Join(err, failed); err == nil {
		_, err = b.read.Read(one)
	}
	return err
}

func (b *Bell) all() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.letIn
}

// at has a function called after each ring.
func (b *Bell) at(letIn func()) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.letIn = append(b.letIn, letIn)
	}
}

// ring has all functions called soon, once for all rings until then. It reports false if there is no bell.
func (b *Bell) ring() bool {
	if b == nil {
		return false
	}
	select {
	case b.rings <- struct{}{}:
	default: // it is rung
	}
	return true
}
