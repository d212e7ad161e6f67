package trial

import "sync"

// Output is what a process has written. A caller can wait until it has a certain line.
type Output struct {
	mu      sync.Mutex
	text    []byte
	changed chan struct{} // closed when text grows
}

func newOutput() *Output { return &Output{changed: make(chan struct{})} }

// Write appends to the output. It is called with what the process writes.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	close(o.changed)
	o.changed = make(chan struct{})
	return len(b), nil
}

// read returns all that was written, and a channel that is closed when there is more.
func (o *Output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text), o.changed
}

// tail is how much of an output is shown, in bytes.
const tail = 4 << 10

// String returns the end of what was written.
func (o *Output) String() string {
	text, _ := o.read()
	return text[max(0, len(text)-tail):]
}
