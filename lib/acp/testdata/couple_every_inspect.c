// How long models and links wait, and files with what links move.

#include "couple_every.h"

// Rank 1 receives what rank 0 sends after rank 1 has said that it waits. Rank 0 records every second message.
void check_inspection(void) {
  int64_t zero = 0, two = 2, messages = -1;
  double x[2], computed = -1, waited = -1, before = 0;
  SAYS(acp_query_model_times(ACP_MODEL_NULL, &computed, &waited), -1, EBADF, "model 0x0");
  SAYS(acp_query_link_times(ACP_LINK_NULL, &messages, &waited), -1, EBADF, "link 0x0");
  SAYS(acp_record_link(ACP_LINK_NULL, "x", 1), -1, EBADF, "link 0x0");
  CHECK(acp_query_model_times(model, NULL, &before) == 0);
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &two, 1);
  acp_link_t link = opened(f, 1, 3);
  CHECK(link != ACP_LINK_NULL);
  CHECK(acp_query_link_times(link, &messages, &waited) == 0 && messages == 0 && waited == 0);
  SAYS(acp_record_link(link, NULL, 1), -1, EFAULT, "file is NULL");
  SAYS(acp_record_link(link, "", 1), -1, EINVAL, "expected a name");
  SAYS(acp_record_link(link, "x", 0), -1, EINVAL, "every 0 messages");
  SAYS(acp_record_link(link, file_of("absent/x"), 1), -1, ENOENT, me == 0 ? "absent/x.0.nc" : "absent/x.0.nc");
  CHECK(acp_record_link(link, file_of(me == 0 ? "sent" : "received"), me == 0 ? 2 : 1) == 0);
  for (int step = 0; step < 13; step++) {
    x[0] = me == 0 ? step : -1;
    x[1] = me == 0 ? step + 0.5 : -1;
    CHECK(moved(link, step) == 0);
    CHECK(me == 0 || (step % 3 == 0 ? x[0] == step && x[1] == step + 0.5 : x[0] == -1));
  }
  CHECK(acp_query_link_times(link, &messages, &waited) == 0 && messages == 5 && waited >= 0);
  CHECK(acp_query_link_times(link, NULL, NULL) == 0);
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
  CHECK(acp_query_model_times(model, &computed, &waited) == 0 && computed > 0 && waited >= before);
  CHECK(acp_query_model_times(model, NULL, NULL) == 0);
}
