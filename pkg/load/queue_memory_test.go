package load_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/load"
)

// TestManyWaitInBoundedMemory has 5,000 requests of many callers wait, in less than 8 KiB each with their goroutines,
// and leaves nothing of them.
func TestManyWaitInBoundedMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asked = 6000
		l := load.NewLimiter(load.LimiterConfig{
			Wait: wait, Most: 1000, MostWaiting: 5000, Log: slog.New(slog.DiscardHandler),
		})
		places := admitted(t, l, 1000)
		before := inUse()
		var ended sync.WaitGroup
		var mu sync.Mutex
		served := 0
		for n := range asked {
			ended.Go(func() {
				slot, refused := l.Begin(t.Context(), caller(fmt.Sprint("caller ", n%100)))
				if refused == nil {
					slot.End()
					mu.Lock()
					defer mu.Unlock()
					served++
				}
			})
		}
		synctest.Wait()
		if waiting := l.Waiting(); waiting != 5000 {
			t.Errorf("%d wait, want the bound", waiting)
		}
		if used := inUse() - before; used > 5000*8<<10 {
			t.Errorf("they take %d bytes", used)
		}
		end(places)
		ended.Wait()
		if l.Waiting() != 0 || l.InWork() != 0 || served != 5000 {
			t.Errorf("%d were served, and at the end %d wait and %d are in work", served, l.Waiting(), l.InWork())
		}
	})
}

// TestCallersAreForgotten has ten thousand callers ask once, ten each millisecond, in bounded memory: those of accounts
// that go as well, and those of one that stays.
func TestCallersAreForgotten(t *testing.T) {
	for name, accountOf := range map[string]func(n int) int{
		"of many accounts": func(n int) int { return n / 10 }, "of one account": func(int) int { return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load.NewLimiter(load.LimiterConfig{
					Wait: wait, Most: 10, MostWaiting: 10, Log: slog.New(slog.DiscardHandler),
				})
				ask := func(n int) {
					slot, refused := l.Begin(t.Context(), caller(fmt.Sprintf("%d/%d", accountOf(n), n)))
					if refused != nil {
						t.Fatal(refused)
					}
					slot.End()
				}
				before := inUse()
				for n := range 10_000 {
					ask(n)
					time.Sleep(100 * time.Microsecond)
				}
				for range 8 {
					time.Sleep(wait)
					ask(0)
				}
				if used := inUse() - before; used > 1<<20 {
					t.Errorf("they take %d bytes", used)
				}
				l.InWork() // the limiter is in use until here
			})
		})
	}
}

// inUse returns the bytes of the heap and of stacks that are in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
