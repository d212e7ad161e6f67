package desk_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

var rows = flag.Int("rows", 5000, "how many rows and records TestManyRows compares")

// most is the memory that a comparison may take beyond what there was, in bytes, and how long it may take.
const (
	mostMemory = 256 << 20
	mostTime   = 30 * time.Second
)

// TestManyRows sends as many rows as there are records, in two columns that are no ids, and compares them.
func TestManyRows(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(), servicetest.Options{
		Clock: w.clock, Peers: w.peers(), Flags: []string{"--request-timeout", "5m"},
	})
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(terms, "2026-01\"", "2026-11\"", 1)+`,"currency":"EUR"}`)
	file := []byte("Policy,Type,Date,Gross,Net\n")
	for i := range *rows {
		number := fmt.Sprintf("P-%07d", i/2)
		w.policies[number] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
		w.record(number, "new policy", int64(1000+i), "")
		file = fmt.Appendf(file, "%s,NB,2026-11-10,%d.00,%d.00\n", number, 1000+i, 1000+i)
	}
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","types":{"NB":"new policy"},"columns":[
		{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},{"column":"Date","means":"date"},
		{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	peak := watch()
	began := time.Now()
	of := send(t, s, "p", "text/csv", string(file))
	sent := time.Since(began)
	var run shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11"}}`), &run)
	took, grown := time.Since(began), peak()
	t.Logf("%d rows: sent in %v, sent and compared in %v, %d MiB", *rows, sent, took, grown>>20)
	if run.Outcomes[shown.Matched] != *rows || run.Items != *rows {
		t.Errorf("%+v", run)
	}
	if took > mostTime || grown > mostMemory {
		t.Errorf("%d rows took %v and %d MiB", *rows, took, grown>>20)
	}
}

// watch returns what returns by how many bytes the memory in use has grown at most.
func watch() func() uint64 {
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, ended := before.HeapInuse, make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-ended:
				return
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
			}
		}
	})
	return func() uint64 {
		close(ended)
		group.Wait()
		return most - before.HeapInuse
	}
}
