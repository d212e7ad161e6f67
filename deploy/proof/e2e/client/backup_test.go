package client_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// receipts records receipts one after the other until it is stopped, with several writers.
type receipts struct {
	mu    sync.Mutex
	all   []trial.Record
	grown chan struct{}
	stop  func()
}

func (r *receipts) acknowledged() []trial.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]trial.Record(nil), r.all...)
}

// await waits until there are n receipts.
func (r *receipts) await(t *testing.T, n int) {
	t.Helper()
	for range r.grown {
		if len(r.acknowledged()) >= n {
			return
		}
	}
	t.Fatal("the writers have ended")
}

// record starts the writers.
func (s *shell) record(t *testing.T, policies []trial.Record) *receipts {
	t.Helper()
	client, err := s.Client("writer", trial.Admin, trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	r := &receipts{grown: make(chan struct{}, 1)}
	ended := make(chan struct{})
	var writers sync.WaitGroup
	for writer := range 4 {
		writers.Go(func() {
			for n := writer; ; n++ {
				select {
				case <-ended:
					return
				default:
				}
				response, err := client.Send(t.Context(), http.MethodPost, "/receipt", trial.Record{
					"policyNumber": policies[n%len(policies)]["policyNumber"], "receiptType": "other",
					"paymentAmount": n + 1, "premiumPaymentMethod": "cash",
				})
				var receipt trial.Record
				if err == nil && response.Status == http.StatusCreated {
					err = json.Unmarshal(response.Body, &receipt)
				}
				if err != nil || response.Status != http.StatusCreated {
					t.Errorf("%v: %d %s", err, response.Status, response.Body)
					return
				}
				r.mu.Lock()
				r.all = append(r.all, receipt)
				r.mu.Unlock()
				select {
				case r.grown <- struct{}{}:
				default:
				}
			}
		})
	}
	r.stop = sync.OnceFunc(func() {
		close(ended)
		writers.Wait()
	})
	t.Cleanup(r.stop)
	return r
}

// on runs an exchange on a data folder.
func (s *shell) on(t *testing.T, data string) *shell {
	t.Helper()
	e, err := commands.Plain().RunInOne(data)
	trial.EndWith(t, e, err)
	return &shell{e, s.folder, e.Base, s.client}
}

// rowsAreRight waits until the sum of every policy's rows is the sum of its receipts.
func (s *shell) rowsAreRight(t *testing.T) {
	t.Helper()
	policyOf := map[string]string{}
	for _, claim := range s.records(t, "claim") {
		policyOf[claim.Text("claimNumber")] = claim.Text("policyNumber")
	}
	sums := func(resource, member string) map[string]string {
		sums := map[string]*big.Int{}
		for _, record := range s.records(t, resource) {
			number := cmp.Or(record.Text("policyNumber"), policyOf[record.Text("claimNumber")])
			if number == "" || resource == "premiumBordereau" && record["period"] == nil {
				continue
			}
			if sums[number] == nil {
				sums[number] = new(big.Int)
			}
			amount, _ := new(big.Int).SetString(fmt.Sprintf("%.0f", record[member]), 10)
			if record["reverses"] != nil {
				amount.Neg(amount)
			}
			sums[number].Add(sums[number], amount)
		}
		words := map[string]string{}
		for number, sum := range sums {
			words[number] = sum.String()
		}
		return words
	}
	want := fmt.Sprint(sums("receipt", "paymentAmount"))
	wait.Until(t, func() error {
		if got := fmt.Sprint(sums("premiumBordereau", "grossWrittenPremium")); got != want {
			return fmt.Errorf("the rows are %s, and the receipts %s", got, want)
		}
		return nil
	})
}

// TestABackupOfARunningExchangeIsRestored takes a backup while receipts are recorded, and runs an exchange on the
// restored folder. It has every record that was acknowledged before, and its rows become right.
func TestABackupOfARunningExchangeIsRestored(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "14").want(t, 0)
	policies := s.records(t, "motorCoverage")
	writers := s.record(t, policies)
	writers.await(t, 50)
	before := writers.acknowledged()
	s.run(t, "backup", "backups/one").want(t, 0, "It has every record that was acknowledged before",
		"exchange.db")
	after := writers.acknowledged()
	writers.await(t, len(after)+10)
	s.run(t, "check").want(t, 0, "Faults: 0")
	writers.stop()
	for _, name := range []string{"backups/one", "backups/one/exchange.db", "backups/one/exchange.db.sha256"} {
		if info, err := os.Stat(s.path(name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, error %v", name, info, err)
		}
	}

	into := s.path("restored here")
	s.run(t, "restore", "backups/one", "--data", into).want(t, 0, "exchange run --data '"+into+"'")
	s.run(t, "check", "--data", into).want(t, 0, "Faults: 0")
	restored := s.on(t, into)
	has := map[string]trial.Record{}
	for _, record := range restored.records(t, "receipt") {
		has[record.Text("id")] = record
	}
	for _, record := range before {
		if kept := has[record.Text("id")]; fmt.Sprint(kept) != fmt.Sprint(record.Without("receiptId", "warnings")) {
			t.Errorf("the receipt %v was acknowledged before the backup, and is restored as %v", record, kept)
		}
	}
	if len(has) >= len(s.records(t, "receipt")) {
		t.Error("nothing was recorded after the backup, so that the test shows nothing")
	}
	for _, resource := range append([]string{"personal", "vehicle", "claim"}, policyResources...) {
		if was, is := s.values(t, "id", resource), restored.values(t, "id",
			resource); fmt.Sprint(was) != fmt.Sprint(is) {
			t.Errorf("%s: %d records became %d", resource, len(was), len(is))
		}
	}
	restored.rowsAreRight(t)
	restored.run(t, "check", "--data", restored.Data).want(t, 0, "Faults: 0")
	restored.run(t, "seed", "--size", "15").want(t, 0, " 1 made")
}

// TestABackupHasNoKeys restores a backup with and without the keys of local tokens, which it does not have: who can
// read it could issue tokens.
func TestABackupHasNoKeys(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "7").want(t, 0)
	s.run(t, "backup", "one").want(t, 0)
	var names []string
	files, err := os.ReadDir(s.path("one"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, file.Name())
	}
	want := []string{"exchange.db", "exchange.db.sha256"}
	if !slices.Equal(names, want) {
		t.Errorf("the backup has the files %v, want %v", names, want)
	}
	token := strings.TrimSpace(s.run(t, "token").want(t, 0).stdout)
	for data, status := range map[string]int{"new-keys": http.StatusUnauthorized, "same-keys": http.StatusOK} {
		s.run(t, "restore", "one", "--data", s.path(data)).want(t, 0)
		if status == http.StatusOK {
			if err := os.CopyFS(s.path(data+"/keys"), os.DirFS(filepath.Join(s.Data, "keys"))); err != nil {
				t.Fatal(err)
			}
		}
		restored := s.on(t, s.path(data))
		client, err := restored.Client("reader", trial.Developer)
		if err != nil {
			t.Fatal(err)
		}
		client.Get(t, "/personal").Want(t, http.StatusOK)
		client.With("Bearer "+token).Get(t, "/personal").Want(t, status)
	}
}

// TestABackupThatIsKilledLeavesNothingUnderItsName ends backups with SIGKILL as soon as they have begun to write.
// What has the name of a backup is whole, and the next backup can have the name if there is none.
func TestABackupThatIsKilledLeavesNothingUnderItsName(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "7").want(t, 0)
	for files := range 3 {
		name := fmt.Sprintf("killed-%d", files)
		process, err := trial.Start(s.client, []string{"EXCHANGE_DATA=" + s.Data}, "backup", s.path(name))
		if err != nil {
			t.Fatal(err)
		}
		exists := func(pattern string, least int) bool {
			found, err := filepath.Glob(s.path(pattern))
			if err != nil {
				t.Fatal(err)
			}
			return len(found) >= least
		}
		wait.Until(t, func() error {
			if exists(name+".partial-*", 1) && exists(name+".partial-*/*", files) || exists(name, 1) {
				return nil
			}
			return errors.New("the backup has not begun")
		})
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		if !exists(name, 1) {
			s.run(t, "backup", name).want(t, 0)
		}
		s.run(t, "restore", name, "--data", s.path("restored-"+name)).want(t, 0)
	}
}

func TestWhatIsNoBackupIsNotRestored(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "7").want(t, 0)
	s.run(t, "backup", "good").want(t, 0)
	s.run(t, "backup", "good").want(t, 2, "is not empty", "another folder")
	s.run(t, "backup", "other", "--data", s.path("none")).want(t, 2, "--data")
	s.run(t, "backup").want(t, 2, "takes one folder")
	if _, err := os.Stat(s.path("other")); err == nil {
		t.Error("there is a backup of nothing")
	}
	s.run(t, "restore", "good", "--data", s.Data).want(t, 2, "is not empty", "--data")
	s.run(t, "restore", s.Data, "--data", s.path("new")).want(t, 2, "is no backup")

	for damage, change := range map[string]func(t *testing.T, folder string){
		"a byte": func(t *testing.T, folder string) {
			file, err := os.OpenFile(filepath.Join(folder, "exchange.db"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			one := make([]byte, 1)
			if _, err := file.ReadAt(one, 5000); err != nil {
				t.Fatal(err)
			}
			one[0] ^= 1
			if _, err := file.WriteAt(one, 5000); err != nil {
				t.Fatal(err)
			}
		},
		"the end": func(t *testing.T, folder string) {
			if err := os.Truncate(filepath.Join(folder, "exchange.db"), 8192); err != nil {
				t.Fatal(err)
			}
		},
		"a file": func(t *testing.T, folder string) {
			if err := os.Remove(filepath.Join(folder, "exchange.db")); err != nil {
				t.Fatal(err)
			}
		},
		"the sum": func(t *testing.T, folder string) {
			if err := os.WriteFile(filepath.Join(folder, "exchange.db.sha256"), []byte("a  b\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(damage, func(t *testing.T) {
			folder := s.path(strings.ReplaceAll(damage, " ", "-"))
			if err := os.CopyFS(folder, os.DirFS(s.path("good"))); err != nil {
				t.Fatal(err)
			}
			change(t, folder)
			into := folder + "-restored"
			s.run(t, "restore", folder, "--data", into).want(t, 1, "exchange: ")
			if left, _ := filepath.Glob(into + "*"); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}
