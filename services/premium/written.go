package premium

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/pkg/rest"
)

// writtenRows are rows of the bordereau as this process wrote them last, so that the next computation of a row need
// not find and decode it. That is as right as a row that was just read: it is read before its receipts are summed,
// only earlier, and if anybody has changed it since, its version is another one and it is read again.
type writtenRows struct {
	mu   sync.Mutex
	rows *simplelru.LRU[row, *rest.Record[*premium.Bordereau]]
}

const (
	// mostWritten is the number of rows that are kept, each of some 2 KiB, and largestWritten the size in bytes from
	// which on a row is not: an admin may have put a long reference into it.
	mostWritten    = 4096
	largestWritten = 2048
)

func newWrittenRows() (*writtenRows, error) {
	rows, err := simplelru.NewLRU[row, *rest.Record[*premium.Bordereau]](mostWritten, nil)
	return &writtenRows{rows: rows}, err
}

// take returns a row as it was written last, nil if that is not kept. Nobody else has it then.
func (w *writtenRows) take(of row) *rest.Record[*premium.Bordereau] {
	w.mu.Lock()
	defer w.mu.Unlock()
	written, _ := w.rows.Peek(of)
	w.rows.Remove(of)
	return written
}

// keep keeps a row that was written. The caller does not use it any more.
func (w *writtenRows) keep(of row, written *rest.Record[*premium.Bordereau]) {
	if written.Size() > largestWritten {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows.Add(of, written)
}
