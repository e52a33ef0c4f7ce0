// C and Go put the same records into the ring of a channel and take the same messages out:
// rank 0 sends each message to rank 1 twice, through two channels. C works on both ends of one, Go
// on those of the other. The test compares their rings. While one rank works the other sleeps.
#include "check.h"
#include "direct.h"

uint64_t goacp_nbsend_ch(uint64_t, void *, size_t);
uint64_t goacp_nbrecv_ch(uint64_t, void *, size_t);
size_t goacp_wait_ch(uint64_t);

enum { TURNS = 3000, BURST = 8, LONGEST = 5000 };

static unsigned seed;
static acp_ch_t by_c, by_go;
static int without_go; // how often C has not called Go

static size_t below(size_t n) { return (size_t)rand_r(&seed) % n; }

static struct goacp_endpoint *end(acp_ch_t ch) {
  return &goacp_direct()->channels->slots[(uintptr_t)ch & (GOACP_MAX_ENDPOINTS - 1)];
}

// Whether C works on this end without Go.
static int takes_fast_path(void) {
  uint32_t flags = __atomic_load_n(&end(by_c)->flags, __ATOMIC_SEQ_CST);
  return (flags & (GOACP_FAST_PATH | GOACP_FAR)) == GOACP_FAST_PATH;
}

// Both ends are at the same position, and both rings have the same content.
static void expect_same(void) {
  const struct goacp_endpoint *c = end(by_c), *go = end(by_go);
  CHECK(c->size == go->size && c->eager == go->eager);
  CHECK(c->pos == go->pos && c->at == go->at);
  CHECK(memcmp(c->ring + 1, go->ring + 1, c->size) == 0);
}

static int fits(acp_ch_t ch, size_t size) {
  const struct goacp_endpoint *e = end(ch);
  size_t span = size <= e->eager ? 8 + ((size + 7) & ~(size_t)7) : 16;
  uint64_t head = __atomic_load_n(&e->ring->head, __ATOMIC_SEQ_CST);
  return e->size - (e->pos - head) >= span + 8;
}

static unsigned char content(size_t message, size_t i) {
  return (unsigned char)(message * 7 + i * 13 + i / 256);
}

static void send_some(size_t *message) {
  static unsigned char bufs[BURST][LONGEST];
  acp_request_t c[BURST];
  uint64_t go[BURST];
  int sent = 0;
  for (int n = 1 + (int)below(BURST); sent < n; sent++) {
    size_t size = below(3) == 0 ? below(LONGEST) : below(100);
    if (!fits(by_c, size) || !fits(by_go, size))
      break;
    ++*message;
    for (size_t k = 0; k < size; k++)
      bufs[sent][k] = content(*message, k);
    without_go += takes_fast_path();
    c[sent] = acp_nbsend_ch(by_c, bufs[sent], size);
    go[sent] = goacp_nbsend_ch((uintptr_t)by_go, bufs[sent], size);
    if (size <= end(by_c)->eager)
      CHECK((uintptr_t)c[sent] == GOACP_FINISHED && go[sent] == GOACP_FINISHED);
    expect_same();
  }
  CHECK(acp_sync() == 0);
  CHECK(acp_sync() == 0); // now all have been taken
  for (int i = 0; i < sent; i++)
    CHECK(acp_wait_ch(c[i]) == 0 && ((go[i] == GOACP_FINISHED) || goacp_wait_ch(go[i]) == 0));
}

// A receive by C and the same by Go.
struct receive {
  unsigned char c[LONGEST], go[LONGEST];
  uint64_t handles[2];
  size_t capacity;
};

static void begin(struct receive *r) {
  r->capacity = below(4) == 0 ? below(LONGEST) : LONGEST;
  memset(r->c, 0, sizeof r->c);
  memset(r->go, 0, sizeof r->go);
  without_go += takes_fast_path();
  r->handles[0] = (uintptr_t)acp_nbrecv_ch(by_c, r->c, r->capacity);
  r->handles[1] = goacp_nbrecv_ch((uintptr_t)by_go, r->go, r->capacity);
  CHECK(r->handles[0] != 0 && r->handles[1] != 0);
}

static void finish(struct receive *r, size_t message) {
  size_t got = acp_wait_ch((acp_request_t)r->handles[0]);
  CHECK(got <= r->capacity);
  CHECK((r->handles[1] & GOACP_FINISHED) != 0 ? r->handles[1] - GOACP_FINISHED == got
                                            : goacp_wait_ch(r->handles[1]) == got);
  CHECK(memcmp(r->c, r->go, LONGEST) == 0);
  for (size_t k = 0; k < LONGEST; k++)
    CHECK(r->c[k] == (k < got ? content(message, k) : 0));
}

static int is_empty(acp_ch_t ch) {
  const struct goacp_endpoint *e = end(ch);
  return *(uint64_t *)((char *)(e->ring + 1) + e->at) == 0;
}

// One receive may begin before there is a message.
static void take_all(size_t *message) {
  static struct receive r;
  int begun = below(2) == 0;
  if (begun)
    begin(&r);
  CHECK(acp_sync() == 0);
  while (begun || !is_empty(by_go)) {
    if (!begun)
      begin(&r);
    begun = 0;
    finish(&r, ++*message);
    expect_same();
    CHECK(end(by_c)->ring->head == end(by_go)->ring->head);
  }
  CHECK(is_empty(by_c));
  CHECK(acp_sync() == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank();
  seed = check_seed();
  CHECK((by_c = acp_create_ch(0, 1)) != ACP_CH_NULL && (by_go = acp_create_ch(0, 1)) != ACP_CH_NULL);
  uint64_t first = 0; // after this message the ends are connected
  for (int i = 0; i < 2; i++) {
    acp_ch_t ch = i == 0 ? by_c : by_go;
    acp_request_t r = rank == 0 ? acp_nbsend_ch(ch, &first, 8) : acp_nbrecv_ch(ch, &first, 8);
    CHECK(acp_wait_ch(r) == (rank == 0 ? 0 : 8));
  }
  CHECK(acp_sync() == 0);
  size_t message = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    if (rank == 0)
      send_some(&message);
    else
      take_all(&message);
    CHECK(acp_sync() == 0);
  }
  CHECK(without_go > TURNS);
  CHECK(acp_free_ch(by_c) == 0 && acp_free_ch(by_go) == 0);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
