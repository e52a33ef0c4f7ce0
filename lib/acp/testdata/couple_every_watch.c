// Links that are published and watched, and the links of a description.

#include "couple_every.h"

// Sends steps by a function until the other rank puts a value.
#define UNTIL(name, send)                                                      \
  for (int64_t step = 0; acp_get_value(name, NULL, 0, NULL) <= 0; step++) {    \
    x[0] = (int)step;                                                          \
    CHECK(send == 0);                                                          \
  }

// Rank 1 watches what rank 0 publishes.
static void watches(void) {
  int64_t zero = 0, one = 1, came = -1;
  int x[1] = {0};
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_INT32, 1, x, &zero, &one, 1);
  if (me == 0) {
    acp_link_t link = acp_publish_link_to(f, "right.f", 2);
    CHECK(link != ACP_LINK_NULL && acp_isready_link(link) == 0 && acp_wait_link(link, 0) == 0);
    SAYS(acp_next_link(link, &came, 0), -1, EINVAL, "publishes by the link");
    SAYS(acp_receive_link(link, 0), -1, EINVAL, "publishes by the link");
    UNTIL("watched", acp_send_link(link, step));
    CHECK(acp_close_link(link) == 0);
    SAYS(acp_publish_link_to(f, "right", 1), ACP_LINK_NULL, EINVAL, "no name of a field");
    SAYS(acp_publish_link_to(f, "right.f", -1), ACP_LINK_NULL, EINVAL, "every -1 steps");
  } else {
    acp_link_t link = acp_watch_link_from(f, "left.f", -1);
    CHECK(link != ACP_LINK_NULL);
    SAYS(acp_send_link(link, 0), -1, EINVAL, "watches by the link");
    SAYS(acp_isready_link(link), -1, EINVAL, "watches by the link");
    SAYS(acp_wait_link(link, 0), -1, EINVAL, "watches by the link");
    CHECK(acp_next_link(link, &came, -1) == 0 && came >= 0 && came % 2 == 0 && x[0] == came);
    CHECK(acp_next_link(link, NULL, -1) == 0 && x[0] > came);
    CHECK(acp_put_value("watched", &one, sizeof one) > 0);
    int next;
    while ((next = acp_next_link(link, &came, 0.001)) >= 0)
      CHECK(next == 1 || x[0] == came);
    SAYS(acp_next_link(link, &came, -1), -1, EPIPE, "the other side has ended");
    CHECK(acp_close_link(link) == 0);
  }
  CHECK(acp_free_field(f) == 0);
}

// A watched link goes through a matrix on either side: 2 on the left and 3 on the right, or the file with 3 on both.
static void watched_weights(const char *name, int by_file) {
  const char *file = "testdata/three.mtx";
  char partner[20];
  int64_t zero = 0, one = 1, came = -1;
  double x[1] = {0}, entry = me == 0 ? 2 : 3;
  snprintf(partner, sizeof partner, "%s.%s", me == 0 ? "right" : "left", name);
  acp_field_t f = acp_create_field_ranges(model, name, ACP_DOUBLE, 1, x, &zero, &one, 1);
  acp_link_t link = me == 0 && by_file ? acp_publish_link_file_to(f, partner, file, 1)
                    : me == 0          ? acp_publish_link_weighted_to(f, partner, &zero, &zero, &entry, 1, 1)
                    : by_file          ? acp_watch_link_file_from(f, partner, file, -1)
                                       : acp_watch_link_weighted_from(f, partner, &zero, &zero, &entry, 1, -1);
  CHECK(link != ACP_LINK_NULL);
  if (me == 0) {
    UNTIL(name, acp_send_link(link, step));
  } else {
    CHECK(acp_next_link(link, &came, -1) == 0 && x[0] == (by_file ? 9 : 6) * (double)came);
    CHECK(acp_put_value(name, &one, sizeof one) > 0);
  }
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
}

// The description of the run is "west.out:east.in,every=2,weights=testdata/three.mtx east.view:west.picture,watch".
static void described(void) {
  int64_t zero = 0, one = 1, came;
  double out = 0;
  int x[1] = {0};
  acp_model_t m = acp_create_model(me == 0 ? "west" : "east", &me, 1);
  acp_field_t moves = acp_create_field_ranges(m, me == 0 ? "out" : "in", ACP_DOUBLE, 1, &out, &zero, &one, 1);
  acp_field_t seen = acp_create_field_ranges(m, me == 0 ? "picture" : "view", ACP_INT32, 1, x, &zero, &one, 1);
  acp_links_t links = acp_open_links(m, -1);
  CHECK(links != ACP_LINKS_NULL);
  for (int step = 0; step < 5; step++) {
    if (me == 0)
      out = step;
    CHECK((me == 0 ? acp_send_links(links, step) : acp_receive_links(links, step)) == 0);
    CHECK(out == (me == 0 ? step : step / 2 * 2 * 3));
  }
  if (me == 0) {
    acp_link_t picture = acp_query_watched_link(links, "picture");
    CHECK(picture != ACP_LINK_NULL && acp_next_link(picture, &came, -1) == 0 && x[0] == came);
    SAYS(acp_query_watched_link(links, "out"), ACP_LINK_NULL, ENOENT, "no watched link to field out");
    SAYS(acp_query_watched_link(links, NULL), ACP_LINK_NULL, EFAULT, "field is NULL");
    CHECK(acp_put_value("drawn", &one, sizeof one) > 0);
  } else {
    UNTIL("drawn", acp_send_links(links, step));
  }
  int64_t step = 7;
  CHECK(acp_save_links(links, file_of("")) == 0 && acp_load_links(links, file_of(""), &step) == 0 && step == -1);
  SAYS(acp_save_links(links, NULL), -1, EFAULT, "folder is NULL");
  SAYS(acp_load_links(links, NULL, NULL), -1, EFAULT, "folder is NULL");
  CHECK(acp_close_links(links) == 0);
  SAYS(acp_save_links(links, "x"), -1, EBADF, "links 0x");
  SAYS(acp_load_links(links, "x", NULL), -1, EBADF, "links 0x");
  SAYS(acp_close_links(links), -1, EBADF, "links 0x");
  SAYS(acp_send_links(links, 9), -1, EBADF, "links 0x");
  SAYS(acp_receive_links(links, 9), -1, EBADF, "links 0x");
  SAYS(acp_query_watched_link(links, "picture"), ACP_LINK_NULL, EBADF, "links 0x");
  CHECK(acp_free_field(moves) == 0 && acp_free_field(seen) == 0);
  SAYS(acp_open_links(m, -1), ACP_LINKS_NULL, ENOENT,
       me == 0 ? "model west has no field out; it has none" : "model east has no field in; it has none");
  CHECK(acp_free_model(m) == 0);
  SAYS(acp_open_links(m, -1), ACP_LINKS_NULL, EBADF, "model 0x");
}

void check_watches(void) {
  watches();
  watched_weights("parts", 0);
  watched_weights("files", 1);
  described();
}
