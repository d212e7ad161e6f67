package simulation

import (
	"math/rand/v2"
	"slices"
)

// lose makes the brokers lose, repeat or forget something.
func (b *brokers) lose(random *rand.Rand) {
	log := b.logs[random.IntN(len(b.logs))]
	switch random.IntN(6) {
	case 0:
		b.world.note("broker: all logs are lost, and the topic is made again")
		for _, log := range b.logs {
			log.first, log.messages = 0, nil
			log.change()
		}
	case 1:
		b.world.note("broker: all logs and offsets are lost")
		for _, log := range b.logs {
			log.first, log.messages = 0, nil
			log.change()
		}
		clear(b.group.committed)
	case 2:
		if lost := random.IntN(len(log.messages) + 1); lost > 0 {
			b.world.note("broker: the last %d messages of a log are lost", lost)
			log.messages = slices.Clone(log.messages[:len(log.messages)-lost])
			log.change()
		}
	case 3:
		if lost := random.IntN(len(log.messages) + 1); lost > 0 {
			b.world.note("broker: the first %d messages of a log are removed", lost)
			log.messages = slices.Clone(log.messages[lost:])
			log.first += int64(lost)
			log.change()
		}
	case 4:
		if len(log.messages) > 0 {
			b.world.note("broker: a message is doubled")
			log.add(log.messages[random.IntN(len(log.messages))])
			log.change()
		}
	case 5:
		if len(b.group.members) > 0 {
			b.group.expelProcess(b.group.members[random.IntN(len(b.group.members))].process)
		}
	}
}
