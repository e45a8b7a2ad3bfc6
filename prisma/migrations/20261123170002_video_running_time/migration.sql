-- CreateTable
CREATE TABLE "video_running_time" (
    "owner_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "seconds" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "video_running_time_pkey" PRIMARY KEY ("owner_id","hour")
);

-- CreateIndex
CREATE INDEX "video_running_time_hour_idx" ON "video_running_time"("hour");

-- AddForeignKey
ALTER TABLE "video_running_time" ADD CONSTRAINT "video_running_time_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
