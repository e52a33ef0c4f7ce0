/*
 * A run whose ranks join and leave, as rank 0 reads lines:
 *
 *     acprun -max 6 -np 2 epochs
 *
 *     adopt N   rank 0 waits until N processes wait in acp_init. Then all call acp_adopt, and ranks that are asked to
 *               leave do so
 *     asked R   rank 0 waits until rank R is asked to leave
 *     lost R    rank 0 waits until rank R is lost
 *     waits N   rank 0 waits until N processes wait in acp_init, and prints "N wait"
 *     join N    rank 0 asks for N processes
 *     ask R     rank 0 asks rank R to leave, and prints "R is asked" or why that is not possible
 *     linger    ranks that leave do not finalise
 *     hold R    rank R calls acp_adopt only when it is killed: it waits for ever
 *     end       the run ends
 *
 * Each rank prints "rank R pid P" when it begins, and rank 0 prints the ranks of each epoch. In each epoch all ranks
 * write to each other, and check what the others have written.
 */
#include "program.h"

#include <string.h>
#include <unistd.h>

#define MUST(condition) CHECK(condition, "%s: %s", #condition, acp_error_message())

enum { COMMAND, NUMBER, VALUES };
enum { ADOPT = 1, LINGER, HOLD, END };
enum { MOST = 64 };

static int ranks[MOST], count;

/* check_jobs checks that the jobs have the ranks of the epoch. With several jobs rank 0 prints their ranks. */
static void check_jobs(void)
{
    int print = acp_rank() == 0 && acp_jobs() > 1, found = 0;

    for (int job = 0; job < acp_jobs(); job++) {
        int n = 0;
        if (print)
            printf("%s:", acp_job_name(job));
        for (int i = 0; i < count; i++)
            if (acp_job(ranks[i]) == job) {
                MUST(acp_job_rank(job, n) == ranks[i]);
                n++;
                if (print)
                    printf(" %d", ranks[i]);
            }
        MUST(acp_job_procs(job) == n && acp_job_find(acp_job_name(job)) == job);
        found += n;
        if (print)
            printf("\n");
    }
    MUST(found == count);
}

/* check writes the rank and the epoch to all others, and checks what they have written. */
static void check(void)
{
    volatile int64_t *mine = starter();

    count = acp_epoch_ranks(ranks, MOST);
    mine[VALUES + acp_rank()] = acp_rank() + 1000 * (int64_t)acp_epoch();
    for (int i = 0; i < count; i++)
        if (ranks[i] != acp_rank())
            DONE(acp_copy(acp_query_starter_ga(ranks[i]) + 8 * (VALUES + acp_rank()),
                          acp_query_starter_ga(acp_rank()) + 8 * (VALUES + acp_rank()), 8, ACP_HANDLE_NULL));
    sync_all();
    for (int i = 0; i < count; i++)
        MUST(mine[VALUES + ranks[i]] == ranks[i] + 1000 * (int64_t)acp_epoch());
    MUST(acp_procs() == ranks[count - 1] + 1);
    check_jobs();
    if (acp_rank() == 0) {
        printf("epoch %d:", acp_epoch());
        for (int i = 0; i < count; i++)
            printf(" %d", ranks[i]);
        printf("\n");
        fflush(stdout);
    }
    sync_all();
}

/* waiting returns how many processes wait in acp_init. */
static int waiting(void)
{
    int n = 0;

    for (int r = 0; r < MOST && r < acp_seats(); r++)
        n += acp_state(r) == ACP_STATE_WAITING;
    return n;
}

/* await_waiting waits until number processes wait in acp_init. */
static void await_waiting(int number)
{
    for (int64_t seen = -1; waiting() < number;)
        MUST((seen = acp_await_change(seen, -1)) >= 0);
}

/* next reads lines until one is for all ranks. */
static void next(int64_t command[2])
{
    char line[80], word[80];
    int number;

    for (;;) {
        number = 0;
        if (fgets(line, sizeof line, stdin) == NULL)
            strcpy(line, "end");
        MUST(sscanf(line, "%s %d", word, &number) >= 1);
        command[NUMBER] = number;
        if (strcmp(word, "join") == 0) {
            MUST(acp_ask_join(number) == 0);
        } else if (strcmp(word, "ask") == 0) {
            if (acp_ask_leave(number) == 0)
                printf("%d is asked\n", number);
            else
                printf("%s\n", acp_error_message());
            fflush(stdout);
        } else if (strcmp(word, "asked") == 0) {
            for (int64_t seen = -1; !acp_asked(number);)
                MUST((seen = acp_await_change(seen, -1)) >= 0);
        } else if (strcmp(word, "lost") == 0) {
            for (int64_t seen = -1; acp_state(number) != ACP_STATE_LOST;)
                MUST((seen = acp_await_change(seen, -1)) >= 0);
        } else if (strcmp(word, "waits") == 0) {
            await_waiting(number);
            printf("%d wait\n", number);
            fflush(stdout);
        } else if (strcmp(word, "adopt") == 0) {
            await_waiting(number);
            command[COMMAND] = ADOPT;
            command[NUMBER] = 0;
            for (int i = 0; i < count; i++) /* other ranks may receive a request later than rank 0 */
                command[NUMBER] |= (int64_t)acp_asked(ranks[i]) << ranks[i];
            return;
        } else {
            command[COMMAND] = strcmp(word, "linger") == 0 ? LINGER : strcmp(word, "hold") == 0 ? HOLD : END;
            return;
        }
    }
}

int main(int argc, char **argv)
{
    int linger = 0;
    int64_t command, number;

    if (acp_init(&argc, &argv) != 0)
        return 1;
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    int64_t *mine = starter();
    for (;;) {
        check();
        do {
            if (acp_rank() == 0) {
                next(mine);
                for (int i = 1; i < count; i++)
                    DONE(acp_copy(acp_query_starter_ga(ranks[i]), acp_query_starter_ga(0), 16, ACP_HANDLE_NULL));
            }
            sync_all();
            command = mine[COMMAND];
            number = mine[NUMBER];
            sync_all(); /* the next line may overwrite the command */
            if (command == END) {
                MUST(acp_finalize() == 0);
                return 0;
            }
            linger = linger || command == LINGER;
            if (command == HOLD && number == acp_rank()) {
                printf("holds\n");
                fflush(stdout);
                for (;;)
                    pause();
            }
        } while (command != ADOPT);
        int epoch = acp_adopt(!(number >> acp_rank() & 1));
        MUST(epoch >= 0);
        if (epoch == 0) {
            MUST(acp_sync() == -1 && acp_query_starter_ga(0) == ACP_GA_NULL);
            printf("rank %d leaves\n", acp_rank());
            fflush(stdout);
            while (linger)
                pause();
            MUST(acp_finalize() == 0);
            return 0;
        }
    }
}
